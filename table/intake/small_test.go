package intake

import (
	"context"
	"runtime"
	"testing"
)

// TestSmallFilesTakeLittle: a folder may hold tens of thousands of them, so that
// none may take the room of a large one.
func TestSmallFilesTakeLittle(t *testing.T) {
	const files, most = 200, 256 << 10
	path := write(t, "small.csv", []byte("id,name,amount,day\n1,a,1.25,2024-01-01\n2,b,2.25,2024-01-02\n"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	profiles, err := ProfileAll(context.Background(), files, func(int) (*File, error) { return Open(path) }, Options{})
	runtime.ReadMemStats(&after)
	if err != nil || len(profiles) != files {
		t.Fatal(len(profiles), err)
	}
	if each := (after.TotalAlloc - before.TotalAlloc) / files; each > most {
		t.Errorf("each file takes %d bytes", each)
	}
}
