//go:build !linux

package firstheap

// takeHugePages does nothing: only Linux takes requests for huge pages.
func takeHugePages() (giveBack func()) { return func() {} }
