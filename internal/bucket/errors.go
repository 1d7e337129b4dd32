package bucket

import (
	"context"
	"fmt"
	"net/http"

	"github.com/minio/minio-go/v7"

	"github.com/agnes-data/da/api"
)

func changed(key string) error {
	return &api.Error{Code: api.CodeSource, Kind: api.KindChangedMeanwhile, Message: fmt.Sprintf("the object %s has changed meanwhile", api.Clip(key, 200)),
		Hint: "Ask again."}
}

// failure translates an error of the store into the vocabulary.
func (b *Bucket) failure(ctx context.Context, key string, err error) error {
	if settled, ok := api.Settled(ctx, err, "the object store"); ok {
		return settled
	}
	out := &api.Error{Code: api.CodeSource, Kind: api.KindUnreachable, Message: "the object store cannot be read", Err: err,
		Hint: api.InServerLog}
	switch e := minio.ToErrorResponse(err); {
	case e.Code == "NoSuchBucket":
		out.Kind, out.Message, out.Hint = api.KindNoBucket, "the object store has no such bucket", "The operator must correct the bucket of the source."
	case e.StatusCode == http.StatusPreconditionFailed, e.StatusCode == http.StatusRequestedRangeNotSatisfiable, e.Code == "NoSuchKey" && key != "":
		return changed(key)
	case e.StatusCode == http.StatusUnauthorized, e.StatusCode == http.StatusForbidden:
		out.Kind, out.Message = api.KindPermissionDenied, "the object store does not let the server read this"
		out.Hint = "The operator must correct the source's keys, or let them list the bucket and read its objects."
		if b.tokens != nil {
			out.Hint = "The operator must give the source's credentials a role that lists the bucket and reads its objects, as Storage Object Viewer does, or the source others: credentials_file, or keys."
		}
		if b.anonymous {
			out.Hint = "An endpoint of http:// is sent no credentials of the environment: the operator must use https:// in endpoint, or give the source keys."
		}
	}
	return out
}
