package worker

import (
	"encoding/json"
	"io"
	"sync"
)

// CalledForCalls reports whether the program was started to serve calls, and
// returns the arguments that it has besides.
func CalledForCalls(args []string) (rest []string, called bool) {
	if len(args) == 0 || args[0] != CallsArg {
		return args, false
	}
	return args[1:], true
}

// maxResident is how many bytes a process may hold after a call and still serve
// another one.
const maxResident = 1 << 29

// ServeCalls answers the requests that come on in, one after the other, until in
// ends. If that happens during a call, the process kills itself: its parent has
// gone. Each answer is JSON.
func ServeCalls(in io.Reader, out io.Writer, handle func(request json.RawMessage, say func(string)) json.RawMessage) error {
	orders := make(chan order)
	var work sync.Mutex // held during a call
	go func() {
		defer close(orders)
		for read := json.NewDecoder(in); ; {
			var o order
			if read.Decode(&o) != nil {
				break
			}
			work.Lock()
			orders <- o
		}
		if !work.TryLock() {
			killSelf()
		}
	}()
	lines := json.NewEncoder(out)
	for o := range orders {
		if err := confine(o.Memory); err != nil {
			return err
		}
		answer := handle(o.Request, func(text string) { _ = lines.Encode(line{Say: text}) }) // a parent that has gone kills
		grown := resident() > maxResident
		work.Unlock()
		if err := lines.Encode(line{Answer: answer, Last: grown}); err != nil || grown {
			return err
		}
	}
	return nil
}
