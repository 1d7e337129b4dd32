package workspace

import (
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func draft(t *testing.T, w *Workspace, name string) *Workspace {
	t.Helper()
	d, err := w.Draft(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// must wants that a change succeeds.
func must(t *testing.T) func(File, error) File {
	return func(f File, err error) File {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
}

func TestADraftIsAppliedInOneStep(t *testing.T) {
	w, ctx := open(t, Options{}), t.Context()
	for _, name := range []string{"edited", "dropped", "left", "right", "same"} {
		put(t, w, name, name+"\n")
	}
	d := draft(t, w, "monday")
	must(t)(d.Edit(ctx, "edited", 0, addLine("more")))
	must(t)(d.Edit(ctx, "edited", 2, addLine("and more")))
	must(t)(d.Delete(ctx, "dropped", 0))
	put(t, d, "new", "new\n")
	must(t)(d.Rename(ctx, "left", "between", 0))
	must(t)(d.Rename(ctx, "right", "left", 0))
	must(t)(d.Rename(ctx, "between", "right", 0))
	put(t, d, "passing", "x")
	must(t)(d.Delete(ctx, "passing", 0))

	if got := read(t, w, "edited"); got != "edited\n" {
		t.Errorf("before it is applied it reads %q", got)
	}
	if got := names(t, w, ""); !slices.Equal(got, []string{"dropped", "edited", "left", "right", "same"}) {
		t.Errorf("%q", got)
	}
	if got := names(t, d, ""); !slices.Equal(got, []string{"edited", "left", "new", "right", "same"}) {
		t.Errorf("the draft has %q", got)
	}
	changes, err := d.Changes(ctx)
	var said []string
	for _, c := range changes {
		said = append(said, string(c.Action)+" "+c.File.Name)
	}
	want := []string{"deleted dropped", "modified edited", "renamed left", "created new", "renamed right"}
	if err != nil || !slices.Equal(said, want) {
		t.Errorf("%q, %v", said, err)
	}
	if drafts, err := w.Drafts(ctx); err != nil || len(drafts) != 1 || drafts[0].Changes != 5 {
		t.Errorf("%+v, %v", drafts, err)
	}
	if _, err := d.Apply(ctx); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"edited": "edited\nmore\nand more\n", "left": "right\n", "right": "left\n", "new": "new\n"} {
		if got := read(t, w, name); got != text {
			t.Errorf("%s is %q", name, got)
		}
	}
	if f, err := w.Info(ctx, "edited"); err != nil || f.Version != 2 {
		t.Errorf("version %d, %v", f.Version, err)
	}
	if drafts, err := w.Drafts(ctx); err != nil || len(drafts) != 0 {
		t.Errorf("%+v, %v", drafts, err)
	}
	u, err := w.Usage(ctx)
	if got := onDisk(t, w); err != nil || got != u.TotalBytes {
		t.Errorf("%d bytes lie on disk, %d are counted, %v", got, u.TotalBytes, err)
	}
}

func TestADraftOfWhatWasChangedIsNotApplied(t *testing.T) {
	w, ctx := open(t, Options{}), t.Context()
	put(t, w, "a", "1")
	put(t, w, "b", "1")
	d := draft(t, w, "monday")
	put(t, d, "a", "draft")
	put(t, d, "b", "draft")
	put(t, w, "b", "2")
	_, err := d.Apply(ctx)
	wantCode(t, err, api.CodeConflict, "draft")
	if got := read(t, w, "a") + read(t, w, "b"); got != "12" {
		t.Errorf("a and b are %q", got)
	}
	changes, err := d.Discard(ctx)
	if err != nil || len(changes) != 2 {
		t.Errorf("%+v, %v", changes, err)
	}
	if got := read(t, d, "a"); got != "1" {
		t.Errorf("after it was discarded it reads %q", got)
	}
	_, err = d.Apply(ctx)
	wantCode(t, err, api.CodeUnknownFile, "draft")
	if got, u := onDisk(t, w), int64(3); got != u {
		t.Errorf("%d bytes lie on disk", got)
	}
}

func TestADraftWhoseNameIsTakenIsNotApplied(t *testing.T) {
	w, ctx := open(t, Options{}), t.Context()
	d := draft(t, w, "monday")
	put(t, d, "a", "draft")
	put(t, w, "A", "1")
	_, err := d.Apply(ctx)
	wantCode(t, err, api.CodeTargetExists, "name")
	must(t)(d.Rename(ctx, "a", "b", 0))
	if _, err := d.Apply(ctx); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(names(t, w, ""), " "); got != "A b" {
		t.Errorf("%s", got)
	}
}

// TestWhatIsWrittenAsItWasMakesNoVersion holds that a draft that changes nothing
// leaves no trace, and that the file is found by its name afterwards.
func TestWhatIsWrittenAsItWasMakesNoVersion(t *testing.T) {
	w := open(t, Options{})
	put(t, w, "same.md", "same\n")
	d := draft(t, w, "idle")
	must(t)(d.Edit(t.Context(), "same.md", 0, addLine("more")))
	put(t, d, "same.md", "same\n")
	changes, err := d.Apply(t.Context())
	if err != nil || len(changes) != 1 || changes[0].File.Version != 1 {
		t.Fatalf("%+v %v", changes, err)
	}
	f, err := w.Info(t.Context(), "same.md")
	if err != nil || f.Version != 1 || read(t, w, "same.md") != "same\n" {
		t.Errorf("%+v %v", f, err)
	}
}
