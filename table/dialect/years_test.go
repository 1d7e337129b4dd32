package dialect

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestManyYearsAreNames: however many they are beside the texts.
func TestManyYearsAreNames(t *testing.T) {
	for _, texts := range []int{1, 2, 4} {
		for _, years := range []int{2, 5, 20, 60, 120} {
			var b strings.Builder
			for row := range 6 {
				cells := []string{}
				for i := range texts {
					cells = append(cells, fmt.Sprintf("text %c%d", 'a'+row, i))
				}
				for i := range years {
					switch {
					case row == 0:
						cells = append(cells, fmt.Sprint(1900+i))
					case row == 3 && i < years/2:
						cells = append(cells, "")
					default:
						cells = append(cells, fmt.Sprintf("%d.%02d", 1+i%3, (row*37+i*11)%100))
					}
				}
				b.WriteString(strings.Join(cells, ",") + "\n")
			}
			r, err := Sniff(context.Background(), []byte(b.String()), true, Options{Hint: ","})
			if err != nil || !r.Header || r.HeaderRows != 1 {
				t.Errorf("%d texts and %d years: header %v, %d rows, %v", texts, years, r.Header, r.HeaderRows, err)
			}
		}
	}
}

// TestYearsInOrderAreNames: at any steps, behind a text or nothing, unless a row below has
// such years, too.
func TestYearsInOrderAreNames(t *testing.T) {
	rows := "hearts,31.5,1,7,204,3\nlungs,379,575,686,704,12\nbones,135,123,100,88,65\nskin,16,20,2.2,23,25\n"
	for text, want := range map[string]bool{
		",1985,1993,2000,2005,2006\n" + rows:                                      true,
		"place,2010,2005,2000,1993,1985\n" + rows:                                 true,
		",1985,1993,2000,2005,2006\n" + rows + "teeth,1990,1991,1995,1997,2001\n": false,
		",1985,1993,2600,2805,2906\n" + rows:                                      false,
		"1984,1985,1993,2000,2005,2006\n" + strings.ReplaceAll(rows, "s,", "s1,"): false,
	} {
		r, err := Sniff(context.Background(), []byte(text), true, Options{Hint: ","})
		if err != nil || r.Header != want {
			t.Errorf("%q: header %v, %v", text[:20], r.Header, err)
		}
	}
}
