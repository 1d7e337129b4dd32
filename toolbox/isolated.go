package toolbox

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/agnes-data/da/toolbox/tool"
)

// Request is a call that is sent to another process.
type Request struct {
	Tool      string
	Arguments json.RawMessage
	Progress  bool // the client wants progress messages
	Told      bool // an earlier answer has explained the marks
}

// The memory of a call in a process of its own: the engine's default limit, and
// the extra for the Go heap, thread stacks, and a file being passed to the
// engine.
const (
	engineMemory = 2 << 30
	besideEngine = 1 << 30
)

// CallMemory is the memory of a call that asks for no more, in bytes.
const CallMemory = engineMemory + besideEngine

// isolation passes a request to another process, as tool.Config says.
type isolation = func(ctx context.Context, request json.RawMessage, memory int64, say func(string)) (json.RawMessage, error)

// isolated runs the call in another process with at most that many bytes of
// memory; 0 means no limit.
func isolated(ctx context.Context, isolate isolation, r Request, memory int64, say func(string)) (tool.Answer, error) {
	if say == nil {
		say = func(string) {}
	}
	request, err := json.Marshal(r)
	if err != nil {
		return tool.Answer{}, fmt.Errorf("write a request: %w", err)
	}
	said, err := isolate(ctx, request, memory, say)
	if err != nil {
		return tool.Answer{}, err
	}
	var answer tool.Answer
	if err := json.Unmarshal(said, &answer); err != nil {
		return tool.Answer{}, fmt.Errorf("read an answer: %w", err)
	}
	return answer, nil
}

// memoryOf returns how many bytes a call may use. Its caller may have raised the
// engine's limit; a limit that cannot be parsed here is rejected by the tool.
func memoryOf(arguments json.RawMessage) int64 {
	var in struct {
		MemoryLimit string `json:"memory_limit"`
	}
	_ = json.Unmarshal(arguments, &in)
	return max(atMost(in.MemoryLimit), engineMemory) + besideEngine
}

// atMost parses a memory limit such as 1.5GB or 512MiB, in bytes, with powers of
// 1024; 0 if it is invalid.
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
