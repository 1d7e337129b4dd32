package text

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/agnes-data/da/api"
	found "github.com/agnes-data/da/table/encoding"
)

// TestEncodingsAreRecognisedAndKept reads and changes texts that are not UTF-8 and have no mark.
func TestEncodingsAreRecognisedAndKept(t *testing.T) {
	for name, c := range map[string]struct {
		letters encoding.Encoding
		line    string
		added   string
	}{
		"windows-1251": {charmap.Windows1251, "Отчёт о продажах за май: всего продано больше товаров, чем в прошлом году.", "Итого"},
		"iso-8859-7":   {charmap.ISO8859_7, "Οι πωλήσεις του Μαΐου ήταν καλύτερες από εκείνες του προηγούμενου έτους.", "Σύνολο"},
		"shift_jis":    {japanese.ShiftJIS, "五月の売上高は前年同月を上回り、特に東京の店舗では新しい商品がよく売れました。", "合計"},
		"euc-jp":       {japanese.EUCJP, "五月の売上高は前年同月を上回り、特に東京の店舗では新しい商品がよく売れました。", "合計"},
		"iso-2022-jp":  {japanese.ISO2022JP, "五月の売上高は前年同月を上回り、特に東京の店舗では新しい商品がよく売れました。", "合計"},
		"gb18030":      {simplifiedchinese.GB18030, "五月份的销售额高于去年同期，尤其是上海的门店，新产品的销售情况非常好。", "合计"},
		"big5":         {traditionalchinese.Big5, "五月份的銷售額高於去年同期，尤其是台北的門市，新產品的銷售情況非常好。", "合計"},
		"euc-kr":       {korean.EUCKR, "5월 매출은 지난해 같은 달보다 늘었고 특히 서울 매장에서 새 제품이 잘 팔렸습니다.", "합계"},
		"utf-16le":     {unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "Sales in May, in 日本語 too: 売上高", "Σύνολο"},
		"utf-16be":     {unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "Sales in May, in 日本語 too: 売上高", "Σύνολο"},
		"windows-1250": {charmap.Windows1250, "Příliš žluťoučký kůň úpěl ďábelské ódy a šťastně skončil řádek s češtinou.", "Celkem řádků"},
	} {
		raw, err := c.letters.NewEncoder().Bytes([]byte(strings.Repeat(c.line+"\r\n", 40)))
		if err != nil {
			t.Fatal(err)
		}
		part, err := Read(bytes.NewReader(raw), int64(len(raw)), ReadOptions{Start: 40})
		if err != nil || part.Content != c.line+"\r\n" || !part.Guessed {
			t.Errorf("%s: read as %s: %q, %v", name, part.Encoding, part.Content, err)
			continue
		}
		var out bytes.Buffer
		if _, err := Insert(bytes.NewReader(raw), int64(len(raw)), &out, 1, New{Content: c.added}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		found, err := Search(bytes.NewReader(out.Bytes()), int64(out.Len()), SearchOptions{Pattern: "^" + c.added})
		if err != nil || found.Total != 1 || found.Matches[0].Line != 2 {
			t.Errorf("%s: found %+v, %v", name, found, err)
		}
		want, err := c.letters.NewEncoder().Bytes([]byte(c.line + "\r\n" + c.added + "\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Bytes(); !bytes.HasPrefix(got, want) || !bytes.HasSuffix(got, raw[len(raw)/2:]) {
			t.Errorf("%s: the text became %q", name, got[:min(len(got), 300)])
		}
	}
}

// TestAnEncodingIsAskedFor reads and changes a text that is too short to tell, makes
// one, and refuses a name that is not one.
func TestAnEncodingIsAskedFor(t *testing.T) {
	raw, err := japanese.ShiftJIS.NewEncoder().Bytes([]byte("1,東\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	part, err := Read(bytes.NewReader(raw), int64(len(raw)), ReadOptions{Encoding: "Shift-JIS"})
	if err != nil || part.Content != "1,東\r\n" || part.Encoding != "shift_jis" || part.Guessed {
		t.Errorf("%+v, %v", part, err)
	}
	var out bytes.Buffer
	if _, err := Insert(bytes.NewReader(raw), int64(len(raw)), &out, 1, New{Content: "2,京", Encoding: "cp932"}); err != nil || out.String() != "1,\x93\x8c\r\n2,\x8b\x9e\r\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	for name, want := range map[string]string{"utf-16le": "\xff\xfea\x00", "big5": "a", "utf-8": "a", "": "a"} {
		out.Reset()
		if err := Write(nil, &out, New{Content: "a", Encoding: name}); err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", name, out.String(), err)
		}
	}
	if _, err := Search(bytes.NewReader(raw), int64(len(raw)), SearchOptions{Pattern: "a", Encoding: "klingon"}); !api.CodeUsage.Is(err) {
		t.Error(err)
	}
}

// TestLettersBehindASCIIAreSeen: an export may have its first name far behind its start.
func TestLettersBehindASCIIAreSeen(t *testing.T) {
	tail, err := japanese.EUCJP.NewEncoder().Bytes([]byte(strings.Repeat("五月の売上高は前年同月を上回り\n", 20)))
	if err != nil {
		t.Fatal(err)
	}
	raw := append(bytes.Repeat([]byte("12345,12345\n"), 60_000), tail...)
	part, err := Read(bytes.NewReader(raw), int64(len(raw)), ReadOptions{Start: 60_001, End: 60_001})
	if err != nil || part.Encoding != "euc-jp" || part.Content != "五月の売上高は前年同月を上回り\n" {
		t.Errorf("%+v, %v", part, err)
	}
}

// TestHalfLettersAreNotLost: a text of UTF-16 that no change can keep is left alone.
func TestHalfLettersAreNotLost(t *testing.T) {
	for name, raw := range map[string]string{"half a pair": "\xff\xfea\x00\x3d\xd8\n\x00b\x00", "an odd byte": "\xff\xfea\x00\n\x00b"} {
		var out bytes.Buffer
		_, err := Insert(strings.NewReader(raw), int64(len(raw)), &out, 0, New{Content: "x"})
		var e *api.Error
		if !errors.As(err, &e) || e.Kind != "encoding" || out.Len() > 0 {
			t.Errorf("%s: %q, %v", name, out.String(), err)
		}
	}
}

// TestWesternTextsHaveOneName: a file has the same encoding as a text and as a table.
func TestWesternTextsHaveOneName(t *testing.T) {
	for raw, want := range map[string]string{
		"name;v\r\nJos\xe9 M\xfcller;1\r\n":                                  "iso-8859-1",
		strings.Repeat("na\xefve caf\xe9s were never so \xe0 la mode\n", 50): "iso-8859-1",
		strings.Repeat("cr\xe8me br\xfbl\xe9e \x80 5, th\xe9 \x80 3\n", 50):  "windows-1252",
	} {
		part, err := Read(strings.NewReader(raw), int64(len(raw)), ReadOptions{})
		survey, err2 := found.Read(strings.NewReader(raw))
		if err = errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if table := survey.Detect().Name; part.Encoding != want || table != want {
			t.Errorf("%.20q: %s as a text, %s as a table", raw, part.Encoding, table)
		}
	}
}
