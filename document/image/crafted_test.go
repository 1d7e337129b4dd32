package image_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/image"
)

// TestCraftedPictures changes bytes of pictures of each format at random. The decoders
// are written in Go, which keeps them within their memory; what they take of it is
// bounded by the size of the picture, and all ends in a picture or an error.
func TestCraftedPictures(t *testing.T) {
	const (
		largest = 64 << 10 // of the files that are taken
		rounds  = 15
		most    = 200 << 20 // bytes that one picture may take in all
	)
	for _, path := range foreign(t) {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(whole) > largest {
			continue
		}
		for seed := range uint64(rounds) {
			broken := bytes.Clone(whole)
			r := rand.New(rand.NewPCG(seed, uint64(len(whole))))
			for range 1 + r.IntN(8) {
				at := r.IntN(len(broken))
				if r.IntN(2) == 0 { // most of what is told about a picture is at its start
					at = r.IntN(min(len(broken), 200))
				}
				broken[at] = byte(r.IntN(256))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var out bytes.Buffer
			_, err := image.Edit(bytes.NewReader(broken), int64(len(broken)), &out, []image.Operation{{Op: image.Resize, Width: 20}, {Op: image.Convert, Format: "png"}}, image.Options{})
			runtime.ReadMemStats(&after)
			var e *api.Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("%s, seed %d: %v", path, seed, err)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > most && err != nil && e.Kind != api.KindTooLarge {
				t.Errorf("%s, seed %d: %d MB are allocated before it is refused: %v", path, seed, taken>>20, err)
			}
		}
	}
}
