package table

import (
	"fmt"
	"io"
	"os"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/words/humanize"
)

// standardInput stores standard input in a file, because tables are read more
// than once, and returns its path.
func (t *Tables) standardInput() (string, error) {
	t.spool.Do(func() {
		if t.cfg.Stdin == nil {
			t.pipe = &api.Error{Code: api.CodeValidation, Message: "there is no standard input to read"}
			return
		}
		f, err := os.CreateTemp(t.store.Dir(), "copy-*")
		if err != nil {
			t.pipe = atomicfile.Explain("keep the standard input", err)
			return
		}
		t.piped = f.Name()
		_, err = io.Copy(f, t.cfg.Stdin)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			t.pipe = atomicfile.Explain("keep the standard input", err)
		}
	})
	return t.piped, t.pipe
}

// strict refuses a file in which something does not fit.
func strict(l *looked) error {
	p := l.profile()
	pr := p.Problems
	n := pr.Count() + pr.Damaged
	if n == 0 {
		return nil
	}
	does := " do"
	if n == 1 {
		does = " does"
	}
	e := &api.Error{
		Code: api.CodeValidation, Kind: api.KindMisfits,
		Message: fmt.Sprintf("%s of %s not fit the rest", humanize.Plural(n, "row or cell", "rows or cells"), l.shown+does),
		Next:    []api.Step{api.Do(api.ActionMap, "see them", "path", l.shown), api.Unset(api.OptionStrict, "read the file anyway")},
		Details: map[string]any{"problems": pr.Places},
	}
	if len(pr.Places) > 0 {
		at := pr.Places[0]
		e.Message += fmt.Sprintf("; the first in line %d: %s", at.Line, at.Reason)
	}
	return e
}
