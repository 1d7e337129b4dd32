// Package build says which build of da this is. It reads what the Go toolchain
// recorded and must not depend on anything else.
package build

import "runtime/debug"

// version is set by release builds with -ldflags -X.
var version string

// Info describes the running binary.
type Info struct {
	Version string `json:"version"` // a release, a module version, or "dev"
	Commit  string `json:"commit"`  // may be empty
	Go      string `json:"go"`
}

// Current returns the running binary's build.
func Current() Info {
	info := Info{Version: version}
	b, ok := debug.ReadBuildInfo()
	if ok {
		info.Go = b.GoVersion
		if v := b.Main.Version; info.Version == "" && v != "" && v != "(devel)" {
			info.Version = v
		}
		for _, s := range b.Settings {
			if s.Key == "vcs.revision" {
				info.Commit = s.Value
			}
		}
	}
	if info.Version == "" {
		info.Version = "dev"
	}
	return info
}
