package wire

import (
	"iter"
	"mime"
	"strings"

	"github.com/agnes-data/da/api"
)

// FileType is the media type of a result that travels as a parquet file, in
// frames.
const FileType = "application/vnd.agnes.parquet-frames"

// AcceptFile is the Accept header of a client that would like a file whose pages
// are compressed by codec, and takes rows.
func AcceptFile(codec, rows string) string { return FileType + "; compression=" + codec + ", " + rows }

// AcceptedFile reports whether a client asks for a file, and the codec that it
// would like.
func AcceptedFile(accept []string) (codec string, ok bool) {
	for name, params := range accepted(accept) {
		if name != FileType {
			continue
		}
		if params["compression"] == api.FileZstd {
			return api.FileZstd, true
		}
		return api.FileSnappy, true
	}
	return "", false
}

// AcceptResult is the Accept header of a client that understands every form of
// a result. Servers that know fewer pass over what they do not know.
const AcceptResult = ContentType + "; compression=zstd, " + ContentType

// AcceptedCodec returns the codec that a client asks for by its Accept headers:
// a parameter of the media type. What is not known is passed over.
func AcceptedCodec(accept []string) Codec {
	for name, params := range accepted(accept) {
		if name == ContentType && params["compression"] == string(Zstd) {
			return Zstd
		}
	}
	return Plain
}

// accepted yields the media types of Accept headers.
func accepted(headers []string) iter.Seq2[string, map[string]string] {
	return func(yield func(string, map[string]string) bool) {
		for _, header := range headers {
			for item := range strings.SplitSeq(header, ",") {
				if name, params, err := mime.ParseMediaType(item); err == nil && !yield(name, params) {
					return
				}
			}
		}
	}
}

// TypeOf returns the media type of a body with this codec.
func TypeOf(codec Codec) string {
	if codec == Plain {
		return ContentType
	}
	return ContentType + "; compression=" + string(codec)
}
