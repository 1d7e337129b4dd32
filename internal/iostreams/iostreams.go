// Package iostreams holds the three streams of a run and their properties: which
// of them are terminals, how wide they are, whether to use color. Everything is a
// plain value, so a test can set what it needs.
//
// It writes nothing itself, and no other code in the program may check whether
// something is a terminal.
package iostreams

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/agnes-data/da/internal/addressspace"
)

// Streams are the streams of one run of da.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	// InTerminal, OutTerminal and ErrTerminal say which streams are terminals.
	InTerminal, OutTerminal, ErrTerminal bool

	// InPiped says that standard input is a pipe or a file, and so has an end.
	InPiped bool
	// OutClosed says that the process was started without standard output. What is
	// written to it is lost.
	OutClosed bool

	// OutWidth and ErrWidth are the widths of the terminals in columns; 0 if the
	// stream is not a terminal, which means no limit.
	OutWidth, ErrWidth int

	// OutHeight is the height of the terminal in lines; 0 if Out is not a
	// terminal or its height is unknown.
	OutHeight int

	// OutColor and ErrColor say whether to use color on the stream.
	OutColor, ErrColor bool

	// ASCII says that the terminals may not understand UTF-8, so lines and
	// symbols must be ASCII. Data is not changed and stays UTF-8.
	ASCII bool

	measure func(*Streams) // nil: there is nothing to measure
}

// Measure updates the sizes of the terminals, for example after a window has been
// resized.
func (s *Streams) Measure() {
	if s.measure != nil {
		s.measure(s)
	}
}

// defaultWidth is used if a terminal does not report its width.
const defaultWidth = 80

// System returns the streams of the process.
func System() *Streams {
	s := FromFiles(os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	s.OutClosed = addressspace.ClosedStdout()
	return s
}

// FromFiles determines the properties of the streams from the files and the
// environment.
func FromFiles(in, out, errs *os.File, getenv func(string) string) *Streams {
	s := &Streams{In: in, Out: out, Err: errs}
	s.InTerminal = term.IsTerminal(int(in.Fd()))
	if info, err := in.Stat(); err == nil {
		s.InPiped = info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0
	}
	s.OutTerminal, s.ErrTerminal = term.IsTerminal(int(out.Fd())), term.IsTerminal(int(errs.Fd()))
	s.measure = func(s *Streams) {
		if s.OutTerminal {
			s.OutWidth, s.OutHeight = size(out, getenv)
		}
		if s.ErrTerminal {
			s.ErrWidth, _ = size(errs, getenv)
		}
	}
	s.Measure()
	s.ASCII = !utf8Locale(getenv)
	s.OutColor = wantColor(s.OutTerminal && enableEscapes(out), getenv)
	s.ErrColor = wantColor(s.ErrTerminal && enableEscapes(errs), getenv)
	return s
}

// Test returns streams that use buffers and are not terminals.
func Test() (s *Streams, in, out, errs *bytes.Buffer) {
	in, out, errs = &bytes.Buffer{}, &bytes.Buffer{}, &bytes.Buffer{}
	return &Streams{In: in, Out: out, Err: errs}, in, out, errs
}

// size is that of a terminal; a height of 0 is unknown.
func size(f *os.File, getenv func(string) string) (width, height int) {
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		height = 0
	}
	if err == nil && width > 0 {
		return width, height
	}
	if width, err := strconv.Atoi(getenv("COLUMNS")); err == nil && width > 0 {
		return width, height
	}
	return defaultWidth, height
}

// wantColor follows no-color.org and bixense.com/clicolors; a setting against
// color takes precedence.
func wantColor(able bool, getenv func(string) string) bool {
	switch force := getenv("CLICOLOR_FORCE"); {
	case getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	case getenv("TERM") == "dumb" || getenv("CLICOLOR") == "0":
		return false
	}
	return able
}

// utf8Locale reports whether the locale's character set is UTF-8. If no locale is
// set, as in most containers, UTF-8 is assumed.
func utf8Locale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}
