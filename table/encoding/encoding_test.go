package encoding

import (
	"bytes"
	"fmt"
	"io"
	"math/rand"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// words are names and phrases of a language, as tables hold them.
func words() map[string]string {
	return map[string]string{
		"cs": "Příliš žluťoučký kůň úpěl ďábelské ódy Dvořák Škoda Plzeň náměstí účetní středisko období částka měsíční",
		"pl": "Łódź Gdańsk Kraków święta źródło książka małżeństwo żółty pięć dzień sprzedaż wartość miesiąc",
		"hu": "Győr Székesfehérvár összeg időszak tűzoltó fűtő városi vevő számla útdíj költség",
		"de": "Straße Größe München Köln Jäger übrig Änderung Öl Fußgänger Stück Länder für",
		"fr": "Éric déjà reçu façade où hôtel Noël cœur été mère élève théâtre coût août",
		"es": "España niño corazón mañana teléfono dirección águila año público código",
		"sv": "Malmö Göteborg räksmörgås Åsa älg ökning försäljning månad år",
		"tr": "İstanbul Beşiktaş çiğ köfte şeker ığdır öğrenci müdür satış bölge",
		"ru": "Москва Санкт-Петербург отчёт сумма продажи клиент город улица январь февраль",
		"el": "Αθήνα Θεσσαλονίκη πωλήσεις ποσό πελάτης πόλη οδός ημερομηνία",
		"he": "ירושלים תל אביב מכירות סכום לקוח עיר רחוב תאריך",
		"ja": "東京 大阪 売上 金額 顧客 日付 商品 数量 カタカナ ひらがな 株式会社",
		"zh": "北京 上海 销售 金额 客户 日期 产品 数量 有限公司 地址",
		"ko": "서울 부산 매출 금액 고객 날짜 제품 수량 주식회사",
	}
}

func encodings() map[string][]string {
	return map[string][]string{
		"cs": {"windows-1250", "iso-8859-2", "utf-8", "utf-16le", "utf-16be"},
		"pl": {"windows-1250", "iso-8859-2"}, "hu": {"windows-1250", "iso-8859-2"},
		"de": {"windows-1252", "utf-8", "macintosh", "cp850"}, "fr": {"windows-1252", "utf-16le"},
		"es": {"windows-1252", "utf-8"}, "sv": {"windows-1252"}, "tr": {"windows-1254"},
		"ru": {"windows-1251", "koi8-r", "cp866", "utf-8", "utf-16le", "utf-32le"}, "el": {"windows-1253"},
		"he": {"windows-1255"}, "ja": {"shift_jis", "euc-jp", "utf-8", "iso-2022-jp", "utf-16be"},
		"zh": {"gb18030", "big5", "utf-16le"}, "ko": {"euc-kr"},
	}
}

// table writes rows of a table, every third of which has words of the language.
func table(rnd *rand.Rand, lang string, rows int) string {
	var b strings.Builder
	w := strings.Fields(words()[lang])
	if lang == "zh" {
		w = strings.Fields("北京 上海 客戶 日期 產品 數量 有限公司 地址")
	}
	b.WriteString("id,name,amount,note\n")
	for i := range rows {
		note := "regular order"
		if i%3 == 0 || rows < 10 {
			note = w[rnd.Intn(len(w))] + " " + w[rnd.Intn(len(w))]
		}
		fmt.Fprintf(&b, "%d,%s,%d.%02d,%s\n", i, w[rnd.Intn(len(w))], rnd.Intn(1000), rnd.Intn(100), note)
	}
	return b.String()
}

// TestDetect asks for the text, not for the name: encodings that agree on all
// letters of a file are equally right.
func TestDetect(t *testing.T) {
	right, total := 0, 0
	for lang, names := range encodings() {
		for _, name := range names {
			for _, rows := range []int{3, 10, 30, 300} {
				rnd := rand.New(rand.NewSource(int64(len(name)*1000 + rows)))
				text := table(rnd, lang, rows)
				data, _, err := transform.Bytes(encoding.ReplaceUnsupported(lookup(name).NewEncoder()), []byte(text))
				if err != nil {
					t.Fatalf("%s in %s: %v", lang, name, err)
				}
				if strings.HasPrefix(name, "utf-16") || strings.HasPrefix(name, "utf-32") {
					data = bytes.TrimPrefix(bytes.TrimPrefix(data, []byte("\xff\xfe\x00\x00")), []byte("\xff\xfe"))
					data = bytes.TrimPrefix(data, []byte("\xfe\xff"))
				}
				s, _ := Read(bytes.NewReader(data))
				got := s.Detect()
				total++
				if back, _ := lookup(name).NewDecoder().Bytes(data); decodeAll(data, got.Name) == string(back) {
					right++
				} else {
					t.Logf("%s in %s, %d rows: taken for %s (%.2f)", lang, name, rows, got.Name, got.Confidence)
					if rows >= 300 {
						t.Errorf("wrong on a file of %d rows", rows)
					}
				}
			}
		}
	}
	t.Logf("%d of %d right", right, total)
	if right*100 < total*95 {
		t.Errorf("%d of %d right", right, total)
	}
}

// TestMarkBehindAWord: a word with a mark such as ® is no sign of a page of DOS,
// where the byte is another letter or quote.
func TestMarkBehindAWord(t *testing.T) {
	text := "\"Index Name\",\"Date\",\"Value\"\n" + strings.Repeat("\"Russell Microcap\xae Value Index\",\"06/30/2000\",395.77\n", 19)
	s, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Detect(); got.Name != "iso-8859-1" || got.Confidence >= LowConfidence {
		t.Errorf("%+v", got)
	}
}

func TestDetectOdd(t *testing.T) {
	for _, c := range []struct {
		name, data, want string
		damaged          int64
	}{
		{"empty", "", "utf-8", 0},
		{"ascii", "a,b\n1,2\n", "utf-8", 0},
		{"mark", "\xef\xbb\xbfa,b\n", "utf-8", 0},
		{"accent after the head", strings.Repeat("a,b\n", 50_000) + "é,1\n", "utf-8", 0},
		{"late windows-1252", strings.Repeat("a,b\n", 100_000) + "caf\xe9 cr\xe8me,1\nd\xe9j\xe0 vu,2\n", "iso-8859-1", 0},
		{"few foreign bytes", strings.Repeat("příliš žluťoučký,1\n", 30) + "caf\xe9,2\n", "utf-8", 1},
		{"cut sequence", "a,é\nb,\xc3", "utf-8", 1},
	} {
		s, _ := Read(iotest.OneByteReader(strings.NewReader(c.data)))
		got := s.Detect()
		if c.name == "cut sequence" {
			continue // too little to tell; it only must not fail
		}
		if got.Name != c.want || got.Damaged != c.damaged {
			t.Errorf("%s: %+v, want %s with %d damaged", c.name, got, c.want, c.damaged)
		}
	}
	s, _ := Read(bytes.NewReader(bytes.Repeat([]byte{0, 1, 2, 0, 0, 0, 9}, 100)))
	if !s.Detect().Binary {
		t.Errorf("binary data taken for text")
	}
}

// charactersOf lists the letters of the upper half of an encoding, which are in no language.
func charactersOf(name string) string {
	var b strings.Builder
	b.WriteString("code,char\n")
	for c := 0xa0; c < 0x100; c++ {
		fmt.Fprintf(&b, "%d,%c\n", c, upperHalf(name)[c-0x80])
	}
	data, _ := encoding.ReplaceUnsupported(lookup(name).NewEncoder()).String(b.String())
	return data
}

// TestThinEvidence pins what is said where there is little to judge by.
func TestThinEvidence(t *testing.T) {
	row := func(s string, n int) string { return "id,v\n" + strings.Repeat("1,"+s+"\n", n) }
	random := make([]byte, 3000)
	rand.New(rand.NewSource(1)).Read(random)
	for _, c := range []struct {
		name, data string
		want       string
		sure       bool
	}{
		{"two letters", row("plain", 30) + "2,Jos\xe9\n3,Mu\xf1oz\n", "iso-8859-1", false},
		{"one row again and again", row("\xa5\xde\xa5\xb9", 40), "", false},
		{"a sign", row("plain", 30) + "2,20\xa3\n3,\xa4\n", "", false},
		{"two signs", row("plain", 30) + "2,5 \xa1\n3,\xd5 6\n", "", false},
		{"many words", row("plain", 3) + "2,d\xe9j\xe0 vu,fa\xe7ade,no\xebl,\xe9l\xe8ve,th\xe9\xe2tre,co\xfbt,ao\xfbt,h\xf4tel,m\xeame\n", "iso-8859-1", true},
		{"random bytes", string(random), "binary", true},
		{"a PDF", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + string(random), "binary", true},
		{"a zero byte in text", "a,b\n\x00,2\n", "utf-8", true},
		{"zero bytes as padding", "a,b\nx\x00,2\ny\x00,3\n", "utf-8", true},
		{"a zero byte in a short file", "caf\xe9,M\xfcnchen\x00,Zo\xeb\n", "iso-8859-1", false},
		{"a zero byte at the end of a line", "12\nZo\xeb\x00\n", "iso-8859-1", false},
		{"a list of characters", charactersOf("windows-1252"), "", false},
		{"a list of Russian characters", charactersOf("windows-1251"), "", false},
		{"UTF-16 without a mark", "a\x00,\x00b\x00\n\x001\x00,\x002\x00\n\x00", "utf-16le", true},
	} {
		s, _ := Read(strings.NewReader(c.data))
		got := s.Detect()
		name := got.Name
		if got.Binary {
			name, got.Confidence = "binary", 1
		}
		if c.want != "" && name != c.want || (got.Confidence >= LowConfidence) != c.sure {
			t.Errorf("%s: %s %.2f, want %s, sure %v", c.name, name, got.Confidence, c.want, c.sure)
		}
	}
}

func TestDecode(t *testing.T) {
	for _, c := range []struct{ enc, data, want string }{
		{"utf-8", "\xef\xbb\xbfaé", "aé"},
		{"utf-8", "caf\xe9,\x80,ok é", "café,€,ok é"},
		{"utf-8", "x\xc3", "xÃ"},
		{"utf-16le", "\xff\xfea\x00\xe9\x00", "aé"},
		{"utf-16be", "\x00a\x00\xe9", "aé"},
		{"latin1", "\xe9\x80", "é€"},
		{"cp1250", "\xf8", "ř"},
		{"IBM852", "\xfd", "ř"},
	} {
		for _, wrap := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
			r, err := NewReader(wrap(strings.NewReader(c.data)), c.enc)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(iotest.OneByteReader(r))
			if err != nil || string(got) != c.want {
				t.Errorf("%s %q: got %q, %v; want %q", c.enc, c.data, got, err, c.want)
			}
		}
	}
	if _, err := NewReader(strings.NewReader(""), "klingon"); err == nil {
		t.Errorf("an unknown encoding was taken")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("caf\xe9 \xc3\xa9 \xf0\x9f"), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, size uint8) {
		s, _ := Read(bytes.NewReader(data))
		got := s.Detect()
		whole, err := NewReader(bytes.NewReader(data), got.Name)
		if err != nil {
			t.Fatal(err)
		}
		a, err := io.ReadAll(whole)
		if err != nil {
			t.Fatal(err)
		}
		parts, _ := NewReader(bytes.NewReader(data), got.Name)
		var b []byte
		buf := make([]byte, int(size)+1)
		for {
			n, err := parts.Read(buf)
			b = append(b, buf[:n]...)
			if err != nil {
				break
			}
		}
		if !bytes.Equal(a, b) {
			t.Errorf("read size changes the text: %q, %q", a, b)
		}
		if got.Name == "utf-8" && !utf8.Valid(a) {
			t.Errorf("not UTF-8: %q", a)
		}
	})
}

func BenchmarkSurvey(b *testing.B) {
	data := []byte(strings.Repeat("123456,2024-01-02,some text here,12.50,true,Dvořák\n", 20_000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		s := &Survey{}
		s.Write(data)
	}
}

// TestPagesThatAreNotKnown: text in an encoding that is no candidate is told to be
// uncertain, and is no word of another language.
func TestPagesThatAreNotKnown(t *testing.T) {
	for name, text := range map[string]string{
		"cp869":         "code,name\n1,\xa5\xa2\xeb\xde\xe3\xde\xed \xb7\xd6\xeb\xe3\x9b\xe7\xde\xed\n2,\xa5\xeb\xd6\xe0\xe3\xe5\x9f\xd6\n3,\xad\xec\xea\xd6\xe7\x9f\xd6\n4,\xbe\xe5\xe5\xd6\xe7\xdd\x9f\xd6\n5,\xc6\xd6\xeb\xd6\xd8\xe9\xf2\x9b\xe1\n",
		"cp720":         "code,name\n1,\xa7\xed\xea\xef\xeb\xef\xe8\x9f\n2,\xe9\xa0\xeb\x9f\xeb\n3,\x9f\xe9\xa0\xa9\x9f\xaa\xef\xe9\n4,\xa0\xed\xa2\xab\xed\x9f\xeb\x9f\n5,\x9f\xe9\xea\xe4\xa9\xa0\n",
		"cp861":         "code,name\n1,Gr\x91nh\x94f\x8caeyjar\n2,\x8d\x98skaland\n3,\xa5tal\xa1a\n4,Franska P\xa2l\x98nes\xa1a\n5,E\x95\xa1\xa2p\xa1a\n",
		"mac-icelandic": "code,name\n1,Gr\xbenh\x9af\xddaeyjar\n2,\xde\xe0skaland\n3,\xeatal\x92a\n4,Franska P\x97l\xe0nes\x92a\n5,E\xdf\x92\x97p\x92a\n",
	} {
		s, _ := Read(strings.NewReader(text))
		if got := s.Detect(); got.Confidence >= LowConfidence {
			t.Errorf("%s: taken for %s without a word (%.2f)", name, got.Name, got.Confidence)
		}
	}
}
