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
