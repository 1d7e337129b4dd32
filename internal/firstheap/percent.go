package firstheap

import _ "unsafe" // for go:linkname

// setGCPercent is debug.SetGCPercent without its package: whatever imports
// runtime/debug is initialized late, after packages that allocate 1.5 MB.
//
//go:linkname setGCPercent runtime/debug.setGCPercent
func setGCPercent(percent int32) int32
