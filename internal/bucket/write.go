package bucket

import (
	"context"
	"fmt"
	"io"
	"io/fs"

	"github.com/minio/minio-go/v7"
)

// Put makes or replaces an object.
func (b *Bucket) Put(ctx context.Context, key string, data io.ReaderAt, size int64) error {
	if err := b.authorised(ctx); err != nil {
		return err
	}
	_, err := b.client.PutObject(ctx, b.name, b.prefix+key, io.NewSectionReader(data, 0, size), size, minio.PutObjectOptions{})
	if err != nil {
		return b.failure(ctx, "", err)
	}
	return nil
}

// Get reads an object from an offset to its end, whatever it is now. The error is
// fs.ErrNotExist if there is none.
func (b *Bucket) Get(ctx context.Context, key string, from int64) (io.ReadCloser, error) {
	if err := b.authorised(ctx); err != nil {
		return nil, err
	}
	options := minio.GetObjectOptions{}
	options.Set("Range", fmt.Sprintf("bytes=%d-", from))
	core := minio.Core{Client: b.client}
	body, _, _, err := core.GetObject(ctx, b.name, b.prefix+key, options)
	if code := minio.ToErrorResponse(err).Code; code == minio.NoSuchKey || code == minio.InvalidRange {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, b.failure(ctx, "", err)
	}
	return body, nil
}

// Remove removes an object, if it is there.
func (b *Bucket) Remove(ctx context.Context, key string) error {
	if err := b.authorised(ctx); err != nil {
		return err
	}
	if err := b.client.RemoveObject(ctx, b.name, b.prefix+key, minio.RemoveObjectOptions{}); err != nil {
		return b.failure(ctx, "", err)
	}
	return nil
}
