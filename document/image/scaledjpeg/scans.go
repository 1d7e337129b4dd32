package scaledjpeg

import "io"

// MaxScans is how many scans a progressive picture may have. Programs write some ten.
// Each takes time for every block of the picture, also if it has only a few bytes, so
// a small file could take hours.
const MaxScans = 200

// Scans returns how many scans a progressive picture has, but counts only to the first
// one over MaxScans. Other pictures take time only for what they have, and are 0.
func Scans(r io.ReaderAt, size int64) (scans int) {
	d := &decoder{source: source{r: r, size: size}}
	if _, err := d.source.take(2); err != nil {
		return 0
	}
	for scans <= MaxScans {
		marker, err := d.marker()
		if err != nil || marker == markEnd {
			break
		}
		if marker == markBaseline || marker == markSequential {
			return 0
		}
		if _, err := d.segment(); err != nil {
			break
		}
		if marker == markScan {
			scans++
		}
	}
	return scans
}
