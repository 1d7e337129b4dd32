package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// hands are a person with a keyboard alone, or with a mouse. They press keys as a person would:
// what they want is reached by Tab, is marked while it has the focus, and takes the keys. With a
// mouse it is clicked on, where nothing covers it.
type hands struct {
	*tab
	way    string   // how they work, such as "keyboard"
	width  int64    // of the window
	mouse  bool     // clicks instead of Tab and Enter
	keys   int      // that were pressed, without what was typed
	clicks int      // of the mouse
	tasks  []string // each with what it took
}

// inHands is a script that knows what a control is called, and where the focus is.
const inHands = `(() => {
	if (window.hands) return true;
	performance.setResourceTimingBufferSize(5000);
	addEventListener("pointerdown", () => window.pointed = true, true);
	const inner = e => { while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement; return e; };
	const words = e => { const c = e.cloneNode(true); c.querySelectorAll("select, input, textarea, svg").forEach(x => x.remove()); return c.textContent; };
	window.hands = {
		focus: () => inner(document.activeElement),
		name: e => (e.getAttribute("aria-label") ?? (e.labels?.[0] ? words(e.labels[0]) : words(e))).replace(/\s+/g, " ").trim(),
		find: (name, of = "*") => {
			const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0'], .editor:not([hidden])")]
				.filter(e => !e.disabled && e.checkVisibility() && e.closest(of));
			return all.find(e => hands.name(e.shadowRoot?.querySelector("[aria-label]") ?? e) === name);
		},
	};
	return true;
})()`

// key presses keys, with Ctrl if its name begins with "ctrl ".
func (h *hands) key(keys ...string) {
	h.t.Helper()
	for _, key := range keys {
		if h.mouse && key == "ctrl "+kb.Enter {
			h.uses("Run")
			continue
		}
		h.keys++
		if bare, with := strings.CutPrefix(key, "ctrl "); with {
			h.do(chromedp.KeyEvent(bare, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		} else if key == "back" {
			h.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)))
		} else {
			h.do(chromedp.KeyEvent(key))
		}
	}
}

// to goes with Tab to the control of a name, in a part of the page if there is one, and holds
// that the focus was somewhere before, and is marked and in sight now.
func (h *hands) to(name string, part ...string) {
	h.t.Helper()
	js[bool](h.tab, inHands)
	of := strings.Join(append(part, "body")[:1], "")
	wanted := fmt.Sprintf("hands.find(%q, %q)", name, of)
	h.until(wanted)
	if h.mouse {
		h.click(wanted)
		return
	}
	there := wanted + ` === hands.focus() || ` + wanted + `?.contains(document.activeElement)`
	h.until(`document.activeElement !== document.body`) // once all is drawn
	key := kb.Tab
	if js[bool](h.tab, wanted+`?.compareDocumentPosition(document.activeElement) === Node.DOCUMENT_POSITION_FOLLOWING`) {
		key = "back"
	}
	for range 150 {
		if js[bool](h.tab, there) {
			if fault := js[string](h.tab, `window.walked = new Set(), `+focusFault); fault != "" {
				h.t.Errorf("at %s the focus is %s", name, fault)
			}
			return
		}
		h.key(key)
	}
	h.t.Fatalf("Tab does not reach %s; the focus is at %s", name, js[string](h.tab, `document.activeElement.outerHTML.slice(0, 200)`))
}

// click clicks in the middle of an element, which nothing may cover.
func (h *hands) click(element string) {
	h.t.Helper()
	const lies = `(async find => {
		const frame = () => new Promise(requestAnimationFrame);
		const now = () => { const e = find(); return e?.shadowRoot?.querySelector(".cm-content") ?? e; };
		const at = e => {
			const r = e.getBoundingClientRect();
			return [r.left + Math.min(r.width, innerWidth - r.left) / 2, r.top + Math.min(r.height / 2, 12)];
		};
		let e = now();
		e.scrollIntoView({ block: "center", inline: "nearest" });
		for (let old = []; old + "" !== at(e) + ""; e = now() ?? e) { // it moves and is made anew while the page is drawn
			old = at(e);
			await frame(); await frame();
		}
		const met = document.elementFromPoint(...at(e)), own = e.getRootNode().host ?? e;
		return own.contains(met) || met?.contains(own) || met?.closest("label")?.control === e ? at(e) : [-1, -1];
	})`
	at := js[[]float64](h.tab, lies+"(() => "+element+")")
	if at[0] < 0 {
		h.picture("covered")
		h.t.Fatalf("something covers %s", element)
	}
	h.clicks++
	h.do(chromedp.MouseClickXY(at[0], at[1]))
}

// uses goes to a control and presses Enter.
func (h *hands) uses(name string, part ...string) {
	h.t.Helper()
	if h.to(name, part...); !h.mouse {
		h.key(kb.Enter)
	}
}

// fills puts a text in place of what the field of a name has.
func (h *hands) fills(name, text string, part ...string) {
	h.t.Helper()
	h.to(name, part...)
	if js[bool](h.tab, `!!(hands.focus().value ?? hands.focus().textContent)`) {
		h.key("ctrl a", kb.Delete)
	}
	h.do(chromedp.KeyEvent(text))
}

// selects goes to a list and presses the arrow down until it has a value.
func (h *hands) selects(name, text string, part ...string) {
	h.t.Helper()
	h.to(name, part...)
	h.until(fmt.Sprintf(`[...hands.focus().options].some(o => o.text === %q)`, text))
	if h.mouse { // the list that opens is the browser's own
		h.key(kb.Escape)
		h.clicks++
	}
	h.key(kb.Home)
	for range 60 {
		if js[string](h.tab, `hands.focus().selectedOptions?.[0]?.text ?? ""`) == text {
			return
		}
		h.key(kb.ArrowDown)
	}
	h.t.Fatalf("%s has no %s", name, text)
}

// finds goes by the palette: Ctrl-K, words, Enter.
func (h *hands) finds(words, option string) {
	h.t.Helper()
	if h.mouse {
		h.uses("Find")
	} else {
		h.key("ctrl k")
	}
	h.until(`document.activeElement?.getAttribute("role") === "combobox"`)
	h.do(chromedp.KeyEvent(words))
	h.until(fmt.Sprintf(`document.querySelector(".palette [role=option]")?.innerText.startsWith(%q)`, option))
	h.key(kb.Enter) // a click could meet another option, as more of them come
	h.until(`!document.querySelector(".palette")`)
}

// newSheet makes a sheet, whose editor then has the focus.
func (h *hands) newSheet() {
	h.t.Helper()
	h.finds("new sheet", "New sheet")
	h.until(`hands.focus().matches(".cm-content") && ["", hands.focus().querySelector(".cm-placeholder")?.innerText].includes(hands.focus().innerText.trim())`)
}

// pastes puts a long text where the focus is.
func (h *hands) pastes(text string) {
	h.t.Helper()
	h.keys++
	h.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: text})
		return err
	}))
}

// accepts takes what the editor proposes first; it takes no key for that while the list is younger than a person.
func (h *hands) accepts(label string) {
	h.t.Helper()
	h.proposes(0, label)
	js[bool](h.tab, `new Promise(done => { const wait = n => n ? requestAnimationFrame(() => wait(n - 1)) : done(true); wait(12); })`)
	h.key(kb.Enter)
}

// sends chooses a file where a button asks for one, which is not of the page.
func (h *hands) sends(button, name, text string) {
	h.t.Helper()
	path := filepath.Join(h.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	open := chromedp.KeyEvent(kb.Enter)
	if !h.mouse {
		h.to(button)
	} else {
		open = chromedp.Func(func(context.Context, *chromedp.Target) error { h.uses(button); return nil })
	}
	h.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		on := cdp.SetInterceptFileChooserDialogParams{Enabled: true}
		if _, err := chromedp.Call(ctx, cdp.SetInterceptFileChooserDialog, on); err != nil {
			return err
		}
		opened, err := chromedp.Run(ctx, chromedp.WaitEvent(cdp.FileChooserOpened, nil, open))
		if err != nil {
			return err
		}
		_, err = chromedp.Call(ctx, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{path}, BackendNodeID: opened.BackendNodeID})
		return err
	}))
	h.keys++
}

// task does one task, and writes down what it took.
func (h *hands) task(name string, do func()) {
	h.t.Helper()
	js[bool](h.tab, inHands+` && (performance.clearResourceTimings(), true)`)
	h.keys, h.clicks = 0, 0
	began := time.Now()
	do()
	took := time.Since(began).Seconds()
	h.picture(fmt.Sprintf("task-%s-%s", h.way, strings.Map(func(r rune) rune {
		if strings.ContainsRune(" :,/", r) {
			return '-'
		}
		return r
	}, name)))
	if h.way == "keyboard" && js[bool](h.tab, `!!window.pointed`) {
		h.t.Errorf("%s: a pointer was used", name)
	}
	asked := js[int](h.tab, `performance.getEntriesByType("resource").filter(e => e.initiatorType === "fetch").length`)
	h.tasks = append(h.tasks, fmt.Sprintf("| %s | %d | %d | %.1f | %d |", name, h.keys, h.clicks, took, asked))
	for _, fault := range js[[]string](h.tab, `faults.splice(0)`) {
		h.t.Errorf("%s: %s", name, fault)
	}
}
