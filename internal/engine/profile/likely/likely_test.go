package likely

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"
)

// TestWhatIsLikelyOfPeople over columns that Faker 40.63.0 made, which nobody here wrote:
// numbers and names of many countries, and others that only look like some.
func TestWhatIsLikelyOfPeople(t *testing.T) {
	f, err := os.Open("testdata/faker.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	columns, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found, missed, wrong, silent := 0, 0, 0, 0
	for _, c := range columns {
		kind, with, _ := strings.Cut(c[0], " ")
		want := map[string]string{"national": National + " " + with, "email": Email, "phone": Phone, "name": Name, "card": Card, "account": Account,
			"text": FreeText + " " + with}[kind]
		called := map[string]string{"phone": "phone_no", "last": "lastName", "name": "name", "company": "name", "city": "name", "job": "name"}[kind]
		if kind == "last" {
			want = Name
		}
		got := ""
		if l := Of(called, c[1:]); l != nil {
			got = strings.TrimSpace(l.Kind + " " + l.With)
		}
		switch {
		case got == want && want != "":
			found++
		case got == want:
			silent++
		case got == "":
			missed++
			t.Logf("missed: %s is %s: %.100q", c[0], want, c[1:])
		default:
			wrong++
			t.Logf("%s is no %s: %.100q", c[0], got, c[1:])
		}
	}
	t.Logf("of people: %d found, %d missed; %d told as what they are not; %d others silent", found, missed, wrong, silent)
	if missed > found/20 || wrong > 2 {
		t.Errorf("too many are missed or wrong")
	}
}
