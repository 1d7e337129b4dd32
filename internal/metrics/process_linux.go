package metrics

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// ticks is the unit of times in /proc, on every architecture that Go has.
const ticks = 100

// writeProcess writes what the kernel knows of this process. A file that cannot be
// read costs its own figures only.
func writeProcess(out *bytes.Buffer) {
	put := func(name, help, kind string, value float64) {
		if !math.IsNaN(value) {
			desc{"process_" + name, help, kind}.single(out, "", value)
		}
	}
	stat := fields("/proc/self/stat", ")") // the name of the program, before it, can hold anything
	put("cpu_seconds_total", "Total user and system CPU time spent in seconds.", "counter", (number(stat, 11)+number(stat, 12))/ticks)
	files, memory := limit(syscall.RLIMIT_NOFILE), limit(syscall.RLIMIT_AS)
	put("max_fds", "Maximum number of open file descriptors.", "gauge", files)
	received, sent := octets()
	put("network_receive_bytes_total", "Number of bytes received by the process over the network.", "counter", received)
	put("network_transmit_bytes_total", "Number of bytes sent by the process over the network.", "counter", sent)
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		put("open_fds", "Number of open file descriptors.", "gauge", float64(len(open)))
	}
	put("resident_memory_bytes", "Resident memory size in bytes.", "gauge", number(stat, 21)*float64(os.Getpagesize()))
	boot := number(fields("/proc/stat", "\nbtime"), 0)
	put("start_time_seconds", "Start time of the process since unix epoch in seconds.", "gauge", boot+number(stat, 19)/ticks)
	put("virtual_memory_bytes", "Virtual memory size in bytes.", "gauge", number(stat, 20))
	put("virtual_memory_max_bytes", "Maximum amount of virtual memory available in bytes.", "gauge", memory)
}

// fields returns the words of a file behind the last occurrence of mark.
func fields(path, mark string) []string {
	b, err := os.ReadFile(path)
	i := bytes.LastIndex(b, []byte(mark))
	if err != nil || i < 0 {
		return nil
	}
	return strings.Fields(string(b[i+len(mark):]))
}

// number returns a word as a number; NaN if it is none.
func number(words []string, i int) float64 {
	if i >= len(words) {
		return math.NaN()
	}
	f, err := strconv.ParseFloat(words[i], 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

func limit(resource int) float64 {
	var l syscall.Rlimit
	if syscall.Getrlimit(resource, &l) != nil {
		return math.NaN()
	}
	return float64(l.Cur)
}

// octets returns the bytes of all IP packets in the process's network namespace.
func octets() (received, sent float64) {
	b, err := os.ReadFile("/proc/self/net/netstat")
	if err != nil {
		return math.NaN(), math.NaN()
	}
	var names []string
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] != "IpExt:":
		case names == nil:
			names = words
		default:
			for i, name := range names {
				switch name {
				case "InOctets":
					received = number(words, i)
				case "OutOctets":
					sent = number(words, i)
				}
			}
		}
	}
	return received, sent
}
