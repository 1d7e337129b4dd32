package iostreams

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo terminal of the given width.
func terminal(t *testing.T, width uint16) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close() })
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: width}); err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = slave.Close() })
	return slave
}

func TestTerminals(t *testing.T) {
	wide, silent := terminal(t, 123), terminal(t, 0)
	s := FromFiles(wide, wide, silent, env(nil))
	if !s.InTerminal || !s.OutTerminal || !s.ErrTerminal || s.OutWidth != 123 || s.OutHeight != 24 || s.ErrWidth != defaultWidth || !s.OutColor || !s.ErrColor || s.ASCII {
		t.Errorf("got %+v", s)
	}
	s = FromFiles(wide, silent, wide, env(map[string]string{"COLUMNS": "99", "TERM": "dumb", "LANG": "C"}))
	if s.OutWidth != 99 || s.ErrWidth != 123 || s.OutColor || s.ErrColor || !s.ASCII {
		t.Errorf("got %+v", s)
	}
}
