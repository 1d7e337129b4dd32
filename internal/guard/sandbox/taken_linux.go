//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Taken measures what a program takes of the machine; nothing if it has ended.
func Taken(pid int) (Load, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if ended(err) {
		return Load{}, nil
	}
	if err != nil {
		return Load{}, err
	}
	value := map[string]int64{}
	for line := range strings.Lines(string(status)) {
		name, rest, _ := strings.Cut(line, ":")
		if fields := strings.Fields(rest); len(fields) > 0 {
			value[name], _ = strconv.ParseInt(fields[0], 10, 64)
		}
	}
	// What it only reads of files is not counted: the system takes it back when it needs it.
	return Load{Memory: (value["RssAnon"] + value["RssShmem"] + value["VmSwap"]) << 10, Threads: int(value["Threads"])}, nil
}
