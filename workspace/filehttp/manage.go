package filehttp

import (
	"context"
	"net/http"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

func list(v *visit) (reply, error) {
	of := v.files.List
	if v.param("deleted") == "true" {
		of = v.files.Deleted
	}
	files, err := of(v.Context(), v.param("pattern"))
	if err != nil {
		return nil, err
	}
	usage, err := v.files.Usage(v.Context())
	return answer(http.StatusOK, FileList{files, usage}), err
}

// diff answers with the changes that a draft makes to the contents of files.
func diff(v *visit) (reply, error) {
	v.about.ID = v.PathValue("name")
	draft, err := v.files.Draft(v.about.ID)
	if err != nil {
		return nil, err
	}
	all, err := content.Changes(v.Context(), draft)
	return answer(http.StatusOK, DraftDiff{v.about.ID, all}), err
}

// info examines a file.
func info(v *visit) (reply, error) {
	in, err := content.Describe(v.Context(), v.files, v.PathValue("id"))
	if err != nil {
		return nil, err
	}
	v.about = in.Subject()
	out := FileInfo{File: in.File, Kind: in.Kind, Lines: in.Lines, Problem: in.Problem}
	switch {
	case in.Workbook != nil:
		out.Content = in.Workbook
	case in.Document != nil:
		out.Content = in.Document
	case in.Presentation != nil:
		out.Content = in.Presentation
	case in.Picture != nil:
		out.Content = in.Picture
	}
	out.Versions, err = v.files.Versions(v.Context(), in.ID)
	return answer(http.StatusOK, out), err
}

// changed answers with a file after a change.
func (v *visit) changed(f workspace.File, err error) (reply, error) {
	v.about = f.Subject()
	return answer(http.StatusOK, f), err
}

func change(v *visit) (reply, error) {
	var in FileChange
	if err := wire.DecodeBody(v.Body, &in); err != nil {
		return nil, err
	}
	ctx, id := v.Context(), v.PathValue("id")
	switch {
	case in.Rename != "" && in.Copy == "" && in.Restore == 0:
		return v.changed(v.files.Rename(ctx, id, in.Rename, in.IfVersion))
	case in.Copy != "" && in.Rename == "" && in.Restore == 0:
		return v.changed(v.files.Copy(ctx, id, in.Copy))
	case in.Restore != 0 && in.Rename == "" && in.Copy == "":
		return v.changed(v.files.Restore(ctx, id, max(in.Restore, 0), ""))
	}
	return nil, bad(api.KindBody, "the body must have exactly one of rename, copy and restore")
}

// forms answers with the operations that the file can be changed by.
func forms(v *visit) (reply, error) {
	f, err := v.file()
	return answer(http.StatusOK, FileForms{content.Forms(content.KindOf(f))}), err
}

// operate applies operations to a file.
func operate(v *visit) (reply, error) {
	var in FileOperations
	if err := wire.DecodeBody(v.Body, &in); err != nil {
		return nil, err
	}
	done, err := content.Operate(v.Context(), v.files, content.Target{File: v.PathValue("id"), IfVersion: in.IfVersion}, in.Operations)
	if err != nil {
		return nil, asRequest(err)
	}
	v.about = done.File.Subject()
	return answer(http.StatusOK, FileOperated{done.File, api.CaveatList{Caveats: api.Arranged(done.Caveats)}}), nil
}

func remove(v *visit) (reply, error) {
	version, err := v.number("if_version")
	if err != nil {
		return nil, err
	}
	do := v.files.Delete
	if v.param("forever") == "true" {
		do = v.files.Purge
	}
	return v.changed(do(v.Context(), v.PathValue("id"), version))
}

func drafts(v *visit) (reply, error) {
	all, err := v.files.Drafts(v.Context())
	return answer(http.StatusOK, DraftList{all}), err
}

// draftDo answers with the changes of a draft to which something was done.
func draftDo(do func(*workspace.Workspace, context.Context) ([]workspace.DraftChange, error)) func(*visit) (reply, error) {
	return draftTold(func(ctx context.Context, w *workspace.Workspace) ([]workspace.DraftChange, []api.Caveat, error) {
		changes, err := do(w, ctx)
		return changes, nil, err
	})
}

// draftTold also answers with what to know of the changes.
func draftTold(do func(context.Context, *workspace.Workspace) ([]workspace.DraftChange, []api.Caveat, error)) func(*visit) (reply, error) {
	return func(v *visit) (reply, error) {
		name := v.PathValue("name")
		draft, err := v.files.Draft(name)
		if err != nil {
			return nil, err
		}
		v.about.ID = name
		changes, caveats, err := do(v.Context(), draft)
		return answer(http.StatusOK, DraftChanges{name, changes, api.CaveatList{Caveats: caveats}}), err
	}
}
