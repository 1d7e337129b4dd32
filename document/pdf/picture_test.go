package pdf_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/agnes-data/da/document/pdf"
)

// TestLargePicturesAreNotUnpacked: the one here has only a header, which is all that is
// read of it.
func TestLargePicturesAreNotUnpacked(t *testing.T) {
	head := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x17\x70\x00\x00\x10\x68\x10\x06\x00\x00\x00") // 6,000 × 4,200 of 16 bits
	head = binary.BigEndian.AppendUint32(head, crc32.ChecksumIEEE(head[12:]))
	head = append(head, "\x00\x00\x00\x00IDAT\x35\xaf\x06\x1e"...)
	o := pdf.EditOptions{Options: compiled(t), File: func(string) ([]byte, error) { return head, nil }}
	var out bytes.Buffer
	_, err := pdf.Create(t.Context(), &out, operations(t, `[{"op": "add_page"}, {"op": "add_image", "page": 1, "image": "x.png", "position": {"x": 1, "y": 1}}]`), o)
	if err == nil || !strings.Contains(err.Error(), "x.png has 6000 × 4200 pixels, and of png pictures of this kind 25 megapixels can be placed") {
		t.Error(err)
	}
}
