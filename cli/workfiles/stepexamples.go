package workfiles

// stepExample returns the arguments for the example of a step, by its tool.
func stepExample(tool string) string {
	switch tool {
	case "spreadsheet_write_range":
		return `budget.xlsx --start-cell A2 --data '[["north",10.5]]'`
	case "spreadsheet_write_cell":
		return `budget.xlsx --cell B7 --formula 'SUM(B2:B6)'`
	case "spreadsheet_add_sheet":
		return "budget.xlsx --name June"
	case "spreadsheet_delete_sheet":
		return "budget.xlsx --name Draft"
	case "spreadsheet_rename_sheet":
		return "budget.xlsx --name Draft --new-name Final"
	case "spreadsheet_copy_sheet":
		return "budget.xlsx --name May --new-name June"
	case "spreadsheet_move_sheet":
		return "budget.xlsx --name Plan --position 1"
	case "spreadsheet_hide_sheet":
		return "budget.xlsx --name Draft"
	case "spreadsheet_insert_rows":
		return "budget.xlsx --after-row 3 --count 2"
	case "spreadsheet_delete_rows":
		return "budget.xlsx --start-row 3"
	case "spreadsheet_set_format":
		return `budget.xlsx --range B2:B9 --format '{"number_format":"#,##0.00"}'`
	case "spreadsheet_auto_filter":
		return "budget.xlsx --sheet Plan --range A3:B20"
	case "spreadsheet_list_sheets":
		return "budget.xlsx"
	case "spreadsheet_get_sheet_summary":
		return "budget.xlsx --sheet May"
	case "spreadsheet_read_range":
		return "budget.xlsx --range A1:D50"
	case "spreadsheet_read_cell":
		return "budget.xlsx --cell B7"
	case "pdf_add_page":
		return "letter.pdf --create-if-missing"
	case "pdf_delete_page":
		return "letter.pdf --page-num 2"
	case "pdf_add_text":
		return `letter.pdf --page 1 --text 'Dear Ms. Weber' --position '{"x":70,"y":700}'`
	case "pdf_add_image":
		return `letter.pdf --page 1 --image-file-id logo.png --position '{"x":70,"y":750}'`
	case "pdf_fill_form":
		return `form.pdf --fields '{"name":"Weber"}'`
	case "pdf_merge":
		return "a.pdf b.pdf --output-name both.pdf"
	case "pdf_split_pages":
		return "report.pdf --ranges 1-5,6-"
	case "pdf_info":
		return "report.pdf"
	case "pdf_extract_text":
		return "report.pdf --pages 1,2"
	case "pdf_get_form_fields":
		return "form.pdf"
	case "image_info":
		return "photo.jpg"
	case "image_resize":
		return "photo.jpg --width 800"
	case "image_crop":
		return `photo.jpg --region '{"left":0,"top":0,"width":400,"height":300}'`
	case "image_convert":
		return "logo.png --format jpeg"
	case "image_composite":
		return `photo.png --overlays '[{"image":"logo.png","left":10,"top":10}]'`
	case "image_to_base64":
		return "photo.jpg --max-width 200"
	}
	return ""
}
