package filehttp

import (
	"net/http"
	"strconv"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/workspace/content"
)

// mostPixels of a side of a picture that the page shows.
const mostPixels = 2400

// picture draws a page, slide or sheet.
func picture(v *visit) (reply, error) {
	if _, err := v.file(); err != nil {
		return nil, err
	}
	page, err := v.number("page")
	if err != nil {
		return nil, err
	}
	side, err := v.number("side")
	if err == nil && (side > mostPixels || page > 1e6) {
		err = bad(api.KindParameter, "side is at most "+strconv.Itoa(mostPixels)+", and no file has so many pages")
	}
	if err != nil {
		return nil, err
	}
	drawn, err := content.Draw(v.Context(), v.files, v.PathValue("id"),
		content.RenderRequest{Page: int(page), Sheet: v.param("sheet"), Side: int(side)})
	if err != nil {
		return nil, asRequest(err)
	}
	return func(w http.ResponseWriter, _ *http.Request) error {
		h := w.Header()
		h.Set("Content-Type", "image/png")
		h.Set("Content-Disposition", attachment("page.png"))
		h.Set("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("X-Agnes-Pages", strconv.Itoa(drawn.Pages))
		_, _ = w.Write(drawn.PNG) // a client that has disconnected needs no answer
		return nil
	}, nil
}
