package flightapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/fault"
)

// statusOf is an error as gRPC tells it: the code of its kind, and one text.
func statusOf(err error) error {
	e := fault.Visible(err)
	return status.Error(codeOf(e.Code.HTTPStatus()), textOf(e.Message, e.Advice(), string(e.Code)))
}

func textOf(message, hint, code string) string {
	text := strings.TrimSuffix(message, ".") + "."
	if hint != "" {
		text += " " + hint
	}
	return text + " [" + code + "]"
}

// codeOf is the code of gRPC for an HTTP status.
func codeOf(httpStatus int) codes.Code {
	switch httpStatus {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return codes.InvalidArgument
	case http.StatusUnauthorized:
		return codes.Unauthenticated
	case http.StatusForbidden:
		return codes.PermissionDenied
	case http.StatusNotFound:
		return codes.NotFound
	case http.StatusConflict:
		return codes.FailedPrecondition
	case http.StatusTooManyRequests:
		return codes.ResourceExhausted
	case http.StatusGatewayTimeout:
		return codes.DeadlineExceeded
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return codes.Unavailable
	}
	return codes.Internal
}

// Wrap lets drivers in: the password of basic authentication is the token, and the errors
// of next, which are JSON, are told as gRPC tells them.
func Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			next.ServeHTTP(w, r)
			return
		}
		if basic, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Basic "); ok {
			pair, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(basic, "=")) // some drivers leave the padding out
			_, token, _ := strings.Cut(string(pair), ":")
			r.Header.Set("Authorization", "Bearer "+token)
		}
		next.ServeHTTP(&refusals{ResponseWriter: w}, r)
	})
}

// refusals turns JSON errors into those of gRPC.
type refusals struct {
	http.ResponseWriter
	status int // of an error whose body is still to come
}

// Unwrap lets http.ResponseController find the connection.
func (w *refusals) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *refusals) WriteHeader(code int) {
	if code >= http.StatusBadRequest {
		w.status = code
		return
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter. The body of an error comes in one piece.
func (w *refusals) Write(p []byte) (int, error) {
	if w.status == 0 {
		return w.ResponseWriter.Write(p)
	}
	var e api.ErrorBody
	_ = json.NewDecoder(bytes.NewReader(p)).Decode(&e) // what is no error of ours has its status alone
	text := textOf(e.Message, e.Hint, string(e.Code))
	h := w.Header()
	h.Del("Content-Length")
	h.Set("Content-Type", "application/grpc")
	h.Set("Grpc-Status", strconv.Itoa(int(codeOf(w.status))))
	h.Set("Grpc-Message", strings.ReplaceAll(url.QueryEscape(text), "+", "%20"))
	w.status = 0
	w.ResponseWriter.WriteHeader(http.StatusOK)
	return len(p), nil
}
