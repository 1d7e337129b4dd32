package metric_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/metric"
)

// TestHintsNameDimensionsThatExist: each name that a hint offers can be asked by, case does
// not matter, and a text without its quotes is told.
func TestHintsNameDimensionsThatExist(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"haul", "Haul", "HAUL", "flight__HAUL"} {
		if _, err := metric.Compile(model(t, "flights"), metric.Request{Metrics: []string{"flights"}, By: []string{by}}); err != nil {
			t.Errorf("%s: %v", by, err)
		}
	}
	for _, c := range [][3]string{
		{"hual", "", "Did you mean haul"},
		{"ticker", "", "Its dimensions are "},
		{"", "haul = West", "Write text in single quotes: 'West'."},
	} {
		req := metric.Request{Metrics: []string{"flights"}}
		if c[0] != "" {
			req.By = []string{c[0]}
		}
		if c[1] != "" {
			req.Where = []string{c[1]}
		}
		_, err := metric.Compile(model(t, "flights"), req)
		var e *api.Error
		if !errors.As(err, &e) || !strings.Contains(e.Hint, c[2]) || strings.Contains(e.Hint, " _") {
			t.Errorf("%s%s: %+v", c[0], c[1], e)
		}
	}
}

// TestJoinsKeepTheNamesOfTheirOwnColumns where the tables write them in different ways.
func TestJoinsKeepTheNamesOfTheirOwnColumns(t *testing.T) {
	t.Parallel()
	table := func(name string, columns ...string) metric.Joinable {
		j := metric.Joinable{Name: name, Of: name}
		for _, c := range columns {
			j.Columns = append(j.Columns, api.Column{Name: c, Type: "VARCHAR"})
		}
		return j
	}
	for _, c := range []struct {
		a, b metric.Joinable
		want string
	}{
		{table("emissions", "country", "year"), table("omdb", "Title", "Country"), "omdb.Country emissions.country"},
		{table("omdb", "Title", "Country"), table("emissions", "country", "year"), "omdb.Country emissions.country"},
		{table("shop", "x", "SHOP_NR"), table("sales", "y", "shop_nr"), "sales.shop_nr shop.SHOP_NR"},
	} {
		f := &metric.Joins{}
		f.Names(c.a, c.b)
		if got := said(f.All); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}
