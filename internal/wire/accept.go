package wire

import (
	"mime"
	"strings"
)

// AcceptResult is the Accept header of a client that understands every form of
// a result. Servers that know fewer pass over what they do not know.
const AcceptResult = ContentType + "; compression=zstd, " + ContentType

// AcceptedCodec returns the codec that a client asks for by its Accept headers:
// a parameter of the media type. What is not known is passed over.
func AcceptedCodec(accept []string) Codec {
	for _, header := range accept {
		for item := range strings.SplitSeq(header, ",") {
			name, params, err := mime.ParseMediaType(item)
			if err == nil && name == ContentType && params["compression"] == string(Zstd) {
				return Zstd
			}
		}
	}
	return Plain
}

// TypeOf returns the media type of a body with this codec.
func TypeOf(codec Codec) string {
	if codec == Plain {
		return ContentType
	}
	return ContentType + "; compression=" + string(codec)
}
