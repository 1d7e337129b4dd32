package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"

	"github.com/agnes-data/da/api"
)

// Reporter writes a report of a dashboard to w, and returns its caveats.
type Reporter func(ctx context.Context, w io.Writer, r Report) ([]api.Caveat, error)

// Report is a request for a report, and what answers its statements with the caller's rights.
type Report struct {
	api.NewReport
	User string // one report of each is made at a time
	Data api.Data
	Desk bool // statements may run on the page's own machine
	Run  func(ctx context.Context, where, sql string) (*api.Stream, error)
}

// reportTypes are the media types of the formats of reports.
var reportTypes = map[string]string{
	"html": "text/html; charset=utf-8", "pdf": "application/pdf",
	"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}

// pageReport answers with a sheet of the caller's as a file.
func (c *call) pageReport() error {
	var req api.NewReport
	if err := c.params(); err != nil {
		return err
	}
	if err := c.body(&req); err != nil {
		return err
	}
	return c.report(func(context.Context) (api.NewReport, error) { return req, nil }, req.Format)
}

// dashboardReport answers with a dashboard of the instance as a file.
func (c *call) dashboardReport() error {
	if err := c.params("format", "values"); err != nil {
		return err
	}
	query, id := c.r.URL.Query(), c.r.PathValue("id")
	req := api.NewReport{Format: cmp.Or(query.Get("format"), "html"), Values: json.RawMessage(query.Get("values"))}
	return c.report(func(ctx context.Context) (api.NewReport, error) {
		all, err := c.data.Dashboards(ctx)
		if err != nil {
			return req, err
		}
		for _, d := range all {
			if d.ID == id && d.Sheet != nil {
				req.Sheet = d.Sheet
				return req, nil
			}
		}
		return req, &api.Error{Code: api.CodeUnknownFile, Kind: api.KindUnknownDashboard,
			Message: "there is no dashboard '" + api.Clip(id, 80) + "', or you may not read all columns of its tables"}
	}, req.Format)
}

// report answers with a report, which is whole on the disk before it is sent.
func (c *call) report(get func(context.Context) (api.NewReport, error), format string) error {
	if c.router.report == nil {
		return errNoRoute
	}
	if reportTypes[format] == "" {
		return badBody(api.KindFormat, "there is no format '%s' for reports; there are html, pdf, pptx and docx", api.Clip(format, 40))
	}
	return c.sendMade(reportTypes[format], func(file *os.File) (caveats []api.Caveat, err error) {
		req, err := get(c.r.Context())
		if err == nil {
			caveats, err = c.router.report(c.r.Context(), file, Report{req, c.who.User, c.data, c.router.desk != nil, c.runTile})
		}
		return caveats, atDesk(err)
	})
}

// runTile runs a statement where the sheet says: at the source, here, or here with a fetch.
func (c *call) runTile(ctx context.Context, where, sql string) (*api.Stream, error) {
	s, err := c.streamFor(ctx, api.PageFile{SQL: sql, Here: where != "source", Fetch: where == "fetch"})
	if err == nil {
		s.RefuseCut(false)
	}
	return s, err
}
