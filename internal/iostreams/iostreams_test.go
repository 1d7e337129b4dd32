package iostreams

import (
	"os"
	"testing"
)

func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestColor(t *testing.T) {
	tests := []struct {
		vars                map[string]string
		onTerminal, onAPipe bool
	}{
		{nil, true, false},
		{map[string]string{"NO_COLOR": "1"}, false, false},
		{map[string]string{"NO_COLOR": ""}, true, false},
		{map[string]string{"CLICOLOR_FORCE": "1"}, true, true},
		{map[string]string{"CLICOLOR_FORCE": "0"}, true, false},
		{map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, false, false},
		{map[string]string{"CLICOLOR_FORCE": "1", "TERM": "dumb"}, true, true},
		{map[string]string{"TERM": "dumb"}, false, false},
		{map[string]string{"TERM": "xterm-256color"}, true, false},
		{map[string]string{"CLICOLOR": "0"}, false, false},
	}
	for _, tt := range tests {
		if got := wantColor(true, env(tt.vars)); got != tt.onTerminal {
			t.Errorf("%v on a terminal: %v", tt.vars, got)
		}
		if got := wantColor(false, env(tt.vars)); got != tt.onAPipe {
			t.Errorf("%v on a pipe: %v", tt.vars, got)
		}
	}
}

func TestLocale(t *testing.T) {
	tests := []struct {
		vars map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{"LANG": "cs_CZ.UTF-8"}, true},
		{map[string]string{"LANG": "en_US.utf8"}, true},
		{map[string]string{"LANG": "C"}, false},
		{map[string]string{"LANG": "cs_CZ.ISO-8859-2"}, false},
		{map[string]string{"LANG": "C", "LC_ALL": "C.UTF-8"}, true},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_CTYPE": "POSIX"}, false},
	}
	for _, tt := range tests {
		if got := utf8Locale(env(tt.vars)); got != tt.want {
			t.Errorf("%v: %v", tt.vars, got)
		}
	}
}

func TestPipesAreNoTerminals(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	s := FromFiles(r, w, w, env(map[string]string{"COLUMNS": "40"}))
	if s.InTerminal || s.OutTerminal || s.ErrTerminal || s.OutWidth != 0 || s.ErrWidth != 0 || s.OutColor || s.ErrColor {
		t.Errorf("got %+v", s)
	}
}

func TestBuffers(t *testing.T) {
	s, in, out, errs := Test()
	if s.In != in || s.Out != out || s.Err != errs || s.OutTerminal || s.ErrTerminal || s.OutWidth != 0 {
		t.Errorf("got %+v", s)
	}
}
