package toolbox

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Request is a call on its way to another process.
type Request struct {
	Tool      string
	Arguments json.RawMessage
	Progress  bool // the client wants to be told how the call goes on
	Told      bool // an earlier answer has explained the marks
}

// Most that a call may take in a process of its own: what an engine is allowed
// where its caller says nothing else, and besides it the heap of Go, the stacks
// of threads, and a file on its way into the engine.
const (
	engineMemory = 2 << 30
	besideEngine = 1 << 30
)

// isolated lets another process answer, with so many bytes of memory; 0: with as
// many as it takes.
func (b *Box) isolated(ctx context.Context, r Request, memory int64, say func(string)) (Answer, error) {
	if say == nil {
		say = func(string) {}
	}
	request, err := json.Marshal(r)
	if err != nil {
		return Answer{}, fmt.Errorf("write a request: %w", err)
	}
	said, err := b.Isolate(ctx, request, memory, say)
	if err != nil {
		return Answer{}, err
	}
	var answer Answer
	if err := json.Unmarshal(said, &answer); err != nil {
		return Answer{}, fmt.Errorf("read an answer: %w", err)
	}
	return answer, nil
}

// memoryOf is how many bytes a call may take. Its caller may have allowed the
// engine more than usual; what is not understood here is refused by the tool.
func memoryOf(arguments json.RawMessage) int64 {
	var in struct {
		MemoryLimit string `json:"memory_limit"`
	}
	_ = json.Unmarshal(arguments, &in)
	return max(atMost(in.MemoryLimit), engineMemory) + besideEngine
}

// atMost is what a memory limit such as 1.5GB or 512MiB allows, in bytes, as
// powers of 1024; 0 if it is not one.
func atMost(limit string) int64 {
	unit := strings.TrimLeft(limit, "0123456789.")
	number, err := strconv.ParseFloat(strings.TrimSuffix(limit, unit), 64)
	unit = strings.ToLower(strings.TrimSpace(unit))
	if err != nil || unit == "" {
		return 0
	}
	power := max(strings.IndexByte("bkmgt", unit[0]), 0)
	return int64(min(math.Ldexp(number, 10*power), 1<<50))
}

// Serve answers a request of another process's box.
func (b *Box) Serve(ctx context.Context, request json.RawMessage, say func(string)) json.RawMessage {
	var r Request
	_ = json.Unmarshal(request, &r) // an empty one is refused
	if !r.Progress {
		say = nil
	}
	b.told.Store(r.Told)
	var answer Answer
	if r.Tool == resultTool {
		answer = b.run(ctx, resultOf(), r.Arguments, r.Told, nil)
	} else {
		answer = b.Call(ctx, r.Tool, r.Arguments, say)
	}
	doc, _ := json.Marshal(answer) // bytes and a bool always can
	return doc
}
