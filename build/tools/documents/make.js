// Makes documents with libraries of others, for the tests that read and change
// them: node make.js FOLDER, in which npm has installed the libraries.
const path = require('path')
const folder = path.resolve(process.argv[2])
const library = name => require(require.resolve(name, { paths: [folder] }))
const fs = require('fs')
const dot = 'image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function slides (name, layout) {
  const PptxGenJS = library('pptxgenjs')
  const deck = new PptxGenJS()
  deck.layout = layout
  deck.title = 'Delays'
  deck.author = 'Ann'
  deck.defineSlideMaster({ title: 'COMPANY', background: { color: 'F1F1F1' }, objects: [{ placeholder: { options: { name: 'body', type: 'body', x: 1, y: 1.5, w: 8, h: 3 }, text: '' } }], slideNumber: { x: 0.3, y: '95%' } })
  const first = deck.addSlide({ masterName: 'COMPANY' })
  first.addText('What was late', { placeholder: 'body' })
  first.addNotes('Speak slowly.')
  const second = deck.addSlide()
  second.addText([{ text: 'bold ', options: { bold: true } }, { text: 'and {na', options: { color: 'FF0000' } }, { text: 'me}', options: { italic: true } }], { x: 1, y: 1, w: 5, h: 1 })
  second.addText([{ text: 'one', options: { bullet: true } }, { text: 'two', options: { bullet: true, indentLevel: 1 } }], { x: 1, y: 2, w: 5, h: 1 })
  second.addTable([['carrier', 'flights'], [{ text: 'AA', options: { bold: true } }, '12']], { x: 1, y: 3, w: 5 })
  const third = deck.addSlide()
  third.addChart(deck.ChartType.bar, [{ name: 'Flights', labels: ['AA', 'UA', 'WN'], values: [3, 5, 7] }], { x: 1, y: 1, w: 8, h: 4, showTitle: true, title: 'By carrier' })
  third.addImage({ data: dot, x: 0.2, y: 0.2, w: 0.5, h: 0.5, altText: 'a dot' })
  third.addText('To the first', { x: 5, y: 0.2, w: 3, h: 0.5, hyperlink: { slide: 1 } })
  await deck.writeFile({ fileName: path.join(folder, name) })
}

async function text (name) {
  const d = library('docx')
  const cell = t => new d.TableCell({ children: [new d.Paragraph(t)] })
  const doc = new d.Document({
    title: 'Delays',
    creator: 'Ann',
    footnotes: { 1: { children: [new d.Paragraph('A note.')] } },
    comments: { children: [{ id: 0, author: 'Bob', children: [new d.Paragraph('Really?')] }] },
    sections: [{
      headers: { default: new d.Header({ children: [new d.Paragraph('The header')] }) },
      footers: { default: new d.Footer({ children: [new d.Paragraph('The footer')] }) },
      children: [
        new d.TableOfContents('Contents', { hyperlink: true, headingStyleRange: '1-5' }),
        new d.Paragraph({ text: 'First', heading: d.HeadingLevel.HEADING_1 }),
        new d.Paragraph({ children: [new d.TextRun({ text: 'Dear {na', bold: true }), new d.TextRun('me}, '), new d.ExternalHyperlink({ link: 'https://example.com/', children: [new d.TextRun('a link')] }), new d.FootnoteReferenceRun(1)] }),
        new d.Paragraph({ text: 'one', bullet: { level: 0 } }),
        new d.Paragraph({ text: 'two', bullet: { level: 1 } }),
        new d.Paragraph({ text: 'Second', heading: d.HeadingLevel.HEADING_2 }),
        new d.Table({ rows: [new d.TableRow({ children: [cell('a'), cell('b')] }), new d.TableRow({ children: [new d.TableCell({ columnSpan: 2, children: [new d.Paragraph('wide')] })] })] }),
        new d.Paragraph({ children: [new d.ImageRun({ type: 'png', data: Buffer.from(dot.split(',')[1], 'base64'), transformation: { width: 20, height: 20 } }), new d.PageBreak()] }),
        new d.Paragraph({ children: [new d.InsertedTextRun({ text: 'inserted', id: 1, author: 'Bob', date: '2024-01-02T00:00:00Z' }), new d.DeletedTextRun({ text: 'deleted', id: 2, author: 'Bob', date: '2024-01-02T00:00:00Z' })] })
      ]
    }]
  })
  fs.writeFileSync(path.join(folder, name), await d.Packer.toBuffer(doc))
}

Promise.all([slides('pptxgenjs-wide.pptx', 'LAYOUT_WIDE'), slides('pptxgenjs-16x9.pptx', 'LAYOUT_16x9'), text('docx-js.docx')])
  .catch(e => { console.error(e); process.exit(1) })
