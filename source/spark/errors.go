package spark

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

func sourceError(kind, message, hint string, err error) *api.Error {
	return &api.Error{Code: api.CodeSource, Kind: kind, Message: message, Hint: hint, Err: err}
}

// written finds the class of an error in its text, where others than Spark leave it.
var written = lazyregexp.New(`\[([A-Z_]+(?:\.[A-Z_]+)*)\] `)

// classOf is the class that Spark gives an error, as DIVIDE_BY_ZERO; empty if it gives
// none. It is in a google.rpc.ErrorInfo.
func classOf(err error) (class string) {
	const metadata, key, value protowire.Number = 3, 1, 2
	s, _ := status.FromError(err)
	for _, d := range s.Proto().GetDetails() {
		_ = each(d.GetValue(), func(n protowire.Number, _ uint64, body []byte) error {
			if name, err := at(body, key); n == metadata && err == nil && string(name) == "errorClass" {
				v, _ := at(body, value)
				class = string(v)
			}
			return nil
		})
	}
	if m := written().FindStringSubmatch(s.Message()); class == "" && m != nil {
		class = m[1]
	}
	return class
}

// failure turns an error of the server, or of the connection to it, into one of the
// vocabulary. seesAll says that nothing in the relation is hidden from the caller.
// Only then is the server's message included, because it may quote values.
func failure(ctx context.Context, err error, seesAll bool) error {
	if settled, ok := api.Settled(ctx, err, "Spark"); ok {
		return settled
	}
	s, ok := status.FromError(err)
	if !ok {
		return sourceError(api.KindUnexpectedAnswer, "Spark has sent rows that cannot be read", "", err)
	}
	class := classOf(err)
	said := func(message string) string {
		if seesAll {
			message += ": " + api.Clip(strings.ReplaceAll(s.Message(), "\n", "; "), 300)
		}
		return message
	}
	switch root, _, _ := strings.Cut(class, "."); {
	case s.Code() == codes.DeadlineExceeded:
		return api.TookTooLong("Spark", err)
	case s.Code() == codes.Unauthenticated:
		return sourceError(api.KindBadCredentials, "Spark refuses the server's credentials",
			"The operator must correct the token of the source.", status.Error(s.Code(), "refused")) // the text may quote the token
	case s.Code() == codes.PermissionDenied, root == "INSUFFICIENT_PERMISSIONS", root == "UNAUTHORIZED_ACCESS":
		return sourceError(api.KindPermissionDenied, "Spark does not let the server read this",
			"The operator must let the source's user read the relation.", err)
	case root == "INVALID_HANDLE":
		return sourceError(api.KindConnectionLost, "Spark has dropped the work, or was restarted", api.InServerLog, err)
	case strings.HasPrefix(s.Message(), "unexpected HTTP status code"): // of a door before it
		return sourceError(api.KindUnreachable, "what answers at the address does not speak Spark Connect, or does not know the cluster",
			"The operator must correct the uri of the source.", err)
	case s.Code() == codes.Unavailable, s.Code() == codes.Canceled, s.Code() == codes.Aborted, s.Code() == codes.DataLoss:
		return sourceError(api.KindUnreachable, "Spark cannot be reached, or the connection to it broke", api.InServerLog, err)
	case strings.Contains(s.Message(), "spark.driver.maxResultSize"):
		return sourceError(api.KindOutOfResources, "the result is larger than Spark's driver hands out",
			"Ask for fewer rows or columns; the operator can raise spark.driver.maxResultSize of the Spark server.", err)
	case s.Code() == codes.ResourceExhausted:
		return sourceError(api.KindOutOfResources, said("Spark has not enough resources"), "", err)
	case root == "TABLE_OR_VIEW_NOT_FOUND", root == "SCHEMA_NOT_FOUND", root == "CATALOG_NOT_FOUND", s.Code() == codes.NotFound:
		return sourceError(api.KindNoRelation, said("Spark has no such relation"), nameHint, err)
	case class == "":
		class = s.Code().String()
	}
	return &api.Error{Code: api.CodeQueryFailed, Kind: strings.ToLower(class), Message: said("Spark refuses the request"), Err: err}
}

const nameHint = "The relation of a table is its name, with schema and catalog before it: sales.orders."

func missing(name string) error {
	return sourceError(api.KindNoRelation, fmt.Sprintf("Spark has no relation %s", api.Clip(name, 200)), nameHint, nil)
}

func unexpected(what string) error {
	return sourceError(api.KindUnexpectedAnswer, "Spark's answer is not understood: "+what, "", nil)
}
