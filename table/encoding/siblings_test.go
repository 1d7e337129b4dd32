package encoding

import (
	"bytes"
	"strings"
	"testing"
)

// TestSiblings encodes short tables in encodings that differ in few letters, and asks
// for the same text.
func TestSiblings(t *testing.T) {
	texts := map[string]string{
		"koi8-u":       "місто;країна;населення\nКиїв;Україна;2952301\nЄвпаторія;Крим;105719\nҐданськ;Польща;470805\nІзмаїл;Україна;70731\nЧернівці;Україна;264298\nЗапоріжжя;Україна;710052\n",
		"koi8-r":       "город;страна;жители\nМосква;Россия;12655050\nОрёл;Россия;303169\nЁлкино;Россия;12\nСанкт-Петербург;Россия;5384342\nКазань;Россия;1257341\n",
		"iso-8859-7":   "πόλη;περιοχή;κάτοικοι\nΆργος;Πελοπόννησος;22209\nΆρτα;Ήπειρος;21895\nΆμφισσα;Στερεά Ελλάδα;6919\nΈδεσσα;Μακεδονία;18229\nΑθήνα;Αττική;643452\n",
		"windows-1253": "κωδικός,όνομα,ποσό\n1,Άγιος Βαρθολομαίος,5\n2,Ανδόρα,7\n3,Βέλγιο,9\n4,Ελβετία,4\n5,Ισπανία,8\n",
		"windows-1256": "code,name,people\nBE,بلجيكا,11\nBG,بلغاريا,7\nBH,البحرين,1\nDE,ألمانيا,83\nEG,مصر,102\nES,إسبانيا,47\nFR,فرنسا,67\nSD,السودان,44\n",
	}
	for name, text := range texts {
		for _, delimiter := range []string{",", ";", "\t"} {
			for _, times := range []int{1, 10} {
				want := strings.Repeat(strings.NewReplacer(",", delimiter, ";", delimiter).Replace(text), times)
				data, err := lookup(name).NewEncoder().String(want)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				s, _ := Read(bytes.NewReader([]byte(data)))
				if got := s.Detect(); decodeAll([]byte(data), got.Name) != want {
					t.Errorf("%s, delimiter %q, %d times: taken for %s (%.2f)", name, delimiter, times, got.Name, got.Confidence)
				}
			}
		}
	}
}
