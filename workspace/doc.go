// Package workspace keeps the files that people send and that commands and
// agents make: any kind of content under names, with all recent versions, and
// with drafts that are applied in one step or thrown away.
//
// # Use
//
//	w, err := workspace.Open(dir, workspace.Options{})
//	f, err := w.Put(ctx, workspace.PutRequest{Name: "budget.xlsx"}, reader)
//	f, err = w.Edit(ctx, "budget.xlsx", 0, func(old *workspace.Content, out io.Writer) error { … })
//	c, err := w.Open(ctx, f.ID) // an io.ReaderAt and io.ReadSeeker; close it
//	d, err := w.Draft("monday") // the same methods; its changes wait for d.Apply
//
// A file is named by its id or its name, wherever a ref is asked for. A change
// that gives the version it has read is refused with CodeConflict if another
// came first; one that gives 0 wins over what came before it, which stays as an
// older version. Edit alone never loses a change: it begins again on what came first.
//
// # On disk
//
// In the folder of a Workspace, folders 0700 and files 0600:
//
//	index.db      SQLite: names, versions, drafts, events; its commit is the commit of a change
//	data/.lock    held while a change is made
//	data/ID       content, 16 hex digits, never written again
//	data/.tmp-ID  content that is being made; .tmp-ID.lock is held by its process
//	data/.edit-ID.lock  held while a file of that id is edited
//
// Content is synced, and renamed inside the transaction that names it. A crash
// before the commit leaves content that no row names, which Open removes.
package workspace
