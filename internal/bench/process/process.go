// Package process measures finished processes, for the commands of bench. It must
// not start or wait for them: each command has its own way.
package process

import (
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// Sample is what one process used, from fork to exit.
type Sample struct {
	Wall, CPU time.Duration
	// Peak is how many bytes were resident at most. On Linux it is at least what the
	// process that started this one had: measure from a small one.
	Peak int64
}

// Finished returns the sample of a command that has been waited for and that took
// wall.
func Finished(cmd *exec.Cmd, wall time.Duration) Sample {
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return Sample{Wall: wall, CPU: cmd.ProcessState.SystemTime() + cmd.ProcessState.UserTime(), Peak: usage.Maxrss * maxrssUnit}
}

// Wall returns the wall time of a sample. Like CPU and Peak, it is for Median.
func Wall(s Sample) time.Duration { return s.Wall }

// CPU returns the processor time of a sample.
func CPU(s Sample) time.Duration { return s.CPU }

// Peak returns the peak memory of a sample, in bytes.
func Peak(s Sample) int64 { return s.Peak }

// Median returns the median of a figure over samples. There must be at least one.
func Median[T any, N int64 | float64 | time.Duration](samples []T, figure func(T) N) N {
	all := make([]N, len(samples))
	for i, s := range samples {
		all[i] = figure(s)
	}
	slices.Sort(all)
	return all[len(all)/2]
}
