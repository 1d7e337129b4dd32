package httpapi

import (
	"cmp"
	"context"
	"net/url"
	"strconv"

	"github.com/agnes-data/da/api"
)

// pageTables answers with a window of the tables, all of them or those that a
// search finds, of a type and a group if these are given.
func (c *call) pageTables() error {
	if err := c.params("q", "from", "limit", "type", "group"); err != nil {
		return err
	}
	values := c.r.URL.Query()
	from, err := number(values, "from", 0, api.MaxTables)
	if err != nil {
		return err
	}
	limit, err := number(values, "limit", api.DefaultPageTables, api.MaxPageTables)
	if err != nil {
		return err
	}
	req := api.TablePageRequest{Query: values.Get("q"), Type: values.Get("type"), Group: values.Get("group"), From: from, Limit: limit}
	return answer(c, func(ctx context.Context) (*api.PageTables, error) { return c.data.TablePage(ctx, req) })
}

// number returns a parameter that is a whole number up to most.
func number(values url.Values, name string, otherwise, most int) (int, error) {
	n, err := strconv.Atoi(cmp.Or(values.Get(name), strconv.Itoa(otherwise)))
	if err != nil || n < 0 || n > most {
		return 0, badBody(api.KindParameter, "parameter '%s' must be a whole number up to %d", name, most)
	}
	return n, nil
}

func (c *call) dashboards() error {
	if err := c.params(); err != nil {
		return err
	}
	return answer(c, c.data.Dashboards)
}

func (c *call) tableJoins() error {
	if err := c.params(); err != nil {
		return err
	}
	id, err := c.tableID()
	if err != nil {
		return err
	}
	return answer(c, func(ctx context.Context) (*api.TableJoins, error) { return c.data.TableJoins(ctx, id) })
}
