package iostreams

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableEscapes makes the console act on escape sequences; consoles before
// Windows 10 cannot.
func enableEscapes(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
