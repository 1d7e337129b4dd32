package firstheap

import (
	"syscall"
	"unsafe"
)

const (
	hugePage = 2 << 20
	// wanted is the memory to request as huge pages. A short command uses 4.5 MB
	// of heap.
	wanted = 2 * hugePage
	// direct is a size that the heap does not serve from a processor's own pages.
	direct = 128 << 10
)

// takeHugePages requests huge pages for the part of the heap that is allocated
// next: two page faults in place of a thousand, which are a third of the time of
// 'da version' in virtual machines where they are expensive. Where the kernel gives
// no huge pages, nothing changes.
//
// Go extends its heap by 4 MB at a time and fills it from below. So an object of
// more than that, which nobody touches, makes Go map what lies behind it; the
// object ends where a huge page begins. It takes addresses but no memory.
//
// The function that is returned ends the request, so that the kernel does not
// make huge pages of what a server has given back.
func takeHugePages() (giveBack func()) {
	here := end(make([]byte, direct))
	room := make([]byte, roundUp(here+wanted)-here)
	start := end(room)
	if start%hugePage != 0 || madvise(start, syscall.MADV_HUGEPAGE) != 0 {
		return func() {}
	}
	for range 16 { // uses up the processor's own pages, which lie before room
		if filler = make([]byte, direct/4); end(filler) > start {
			break
		}
	}
	filler = nil
	return func() { _ = madvise(start, syscall.MADV_NOHUGEPAGE) } // a hint, so a failure changes nothing
}

// filler is a variable, since Go allocates small objects of functions elsewhere.
var filler []byte

func madvise(start uintptr, advice uintptr) syscall.Errno {
	_, _, errno := syscall.Syscall(syscall.SYS_MADVISE, start, wanted, advice)
	return errno
}

func roundUp(address uintptr) uintptr { return (address + hugePage - 1) &^ (hugePage - 1) }

// end is the address behind an object.
func end(object []byte) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(object))) + uintptr(len(object))
}
