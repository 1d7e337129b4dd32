package cli

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agnes-data/da/cli/setup"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// login is a 'da login' that waits for a person.
type login struct {
	*exec.Cmd
	out   io.ReadCloser
	errs  bytes.Buffer
	code  string // that it shows
	shown string
}

// logsIn starts 'da login' at a server, and reads the code that it shows.
func (p *place) logsIn(url string, args ...string) *login {
	p.t.Helper()
	l := &login{Cmd: p.command(append([]string{"login", url}, args...)...)}
	l.Stderr = &l.errs
	var err error
	if l.out, err = l.StdoutPipe(); err == nil {
		err = l.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = l.Process.Kill() })
	lines := bufio.NewReader(l.out)
	for l.code == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			p.t.Fatalf("no code was shown: %v\n%s%s", err, l.shown, l.errs.String())
		}
		l.shown += line
		l.code = regexp.MustCompile(`\b[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}\b`).FindString(line)
	}
	l.out = io.NopCloser(lines)
	return l
}

// ends waits for its end.
func (l *login) ends(t *testing.T) outcome {
	t.Helper()
	rest, err := io.ReadAll(l.out)
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Wait() // its code says how
	return outcome{l.ProcessState.ExitCode(), l.shown + string(rest), l.errs.String()}
}

// answers types a code on the page, and presses a button.
func (b *tab) answers(code, button string) {
	b.t.Helper()
	b.visit("/#/device")
	b.until(`document.querySelector("#main input")`)
	js[bool](b, `document.querySelector("#main input").focus(), true`)
	b.do(chromedp.KeyEvent(strings.ToLower(code)), chromedp.KeyEvent(kb.Enter))
	b.sees("asks to sign in as admin")
	if button != "" {
		b.press(button)
	}
}

// TestLoginInABrowser signs a machine in from end to end: da login waits, a person at the
// page says yes or no.
func TestLoginInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	server := newPlace(t)
	cmd, admin := server.server()
	url := admin.get("DA_SERVER")
	p := server.with("HOME="+t.TempDir(), "DA_HOME="+filepath.Join(t.TempDir(), "home"), "DA_INSTANCE=")
	b := openTab(t, url+"/")
	b.visit("/#/device")
	b.signsIn(admin)
	b.sees("Type the code")
	b.check("device")

	yes := p.logsIn(url, "--name", "here")
	if !strings.Contains(yes.shown, url+"/#/device") {
		t.Errorf("it shows %s", yes.shown)
	}
	b.answers(yes.code, "")
	b.sees("Let it in only if you have just started")
	b.sees("127.0.0.1, as this browser does")
	b.check("device-asks")
	b.press("Let it sign in")
	b.sees("is signed in")
	if o := yes.ends(t); o.code != 0 || !strings.Contains(o.stdout, "Logged in to here as admin") {
		t.Errorf("%+v", o)
	}
	if out := p.ok("catalog", "-o", "csv"); !strings.Contains(out, "flights,") {
		t.Error(out)
	}
	if status, text := p.with("DA_SERVER="+url).request("POST", "/api/device/token", map[string]string{"device_code": yes.code}); status != 401 {
		t.Errorf("the code that is shown is no secret of the machine: %d %s", status, text)
	}

	no := p.logsIn(url, "--json")
	b.answers(no.code, "Refuse")
	b.sees("was refused")
	if o := no.ends(t); o.code != 8 || !strings.Contains(o.stderr, "refused in the browser") {
		t.Errorf("%+v", o)
	}
	b.visit("/#/device")
	b.until(`document.querySelector("#main input")`)
	js[bool](b, `document.querySelector("#main input").focus(), true`)
	b.do(chromedp.KeyEvent(no.code), chromedp.KeyEvent(kb.Enter))
	b.sees("No machine waits with this code")

	// The person ends the machine's token where they see it.
	b.visit("/#/me")
	b.sees("da on ")
	b.check("me-tokens")
	row := `[...document.querySelectorAll("#main tr")].find(r => r.innerText.includes("da on ")).querySelector("button")`
	js[bool](b, row+".click(), true")
	js[bool](b, row+".click(), true")
	b.until(`!document.querySelector("#main").innerText.includes("da on ")`)
	if o := p.run("whoami"); o.code != 7 || !strings.Contains(o.stderr, "revoked") {
		t.Errorf("after its token has ended: %+v", o)
	}

	// It waits while the server is away, and the next server knows the code; a quarter of
	// an hour later none does.
	waits, late := p.logsIn(url, "--name", "again"), p.logsIn(url)
	stop := func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
	}
	next := func(at *place) {
		cmd = at.command("serve", "--listen", strings.TrimPrefix(url, "http://"))
		stderr, err := cmd.StderrPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		if _, _, err := setup.Announced(stderr); err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, stderr) }()
	}
	stop()
	next(server)
	b.answers(waits.code, "Let it sign in")
	if o := waits.ends(t); o.code != 0 || !strings.Contains(o.stdout, "Logged in to again as admin") {
		t.Errorf("over a restart: %+v", o)
	}
	stop()
	next(server.with(envLater + "=16m"))
	if o := late.ends(t); o.code != 7 || !strings.Contains(o.stderr, "within 15 minutes") {
		t.Errorf("too late: %+v", o)
	}
}
