import CPango
import Model
import NotifierCore

/// Lays out a report on A4 pages.
///
/// Pango chooses a font for each script and shapes it, so that names print in any script for which
/// a font is installed; the fonts are embedded.
struct PDFDocument {
    /// Points.
    private static let width = 595.0
    private static let height = 842.0
    private static let margin = 50.0
    private static let label = 118.0

    private let context: OpaquePointer
    private let footer: String
    private var y = PDFDocument.margin
    private var page = 1
    /// Characters without a font.
    private var unknownGlyphs = 0

    /// - Returns: the bytes of the document; nil if it cannot be made
    static func bytes(of report: PrintedReport) -> [UInt8]? { layOut(report)?.bytes }

    /// - Returns: the bytes of the document, and how many characters have no font
    static func layOut(_ report: PrintedReport) -> (bytes: [UInt8], unknownGlyphs: Int)? {
        let target = Bytes()
        let closure = Unmanaged.passUnretained(target).toOpaque()
        guard let surface = cairo_pdf_surface_create_for_stream(append, closure, width, height),
            let context = cairo_create(surface)
        else { return nil }
        if case .title(let title)? = report.blocks.first {
            cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title)
        }
        var document = PDFDocument(context: context, footer: report.footer)
        for block in report.blocks { document.add(block) }
        document.endPage()
        cairo_destroy(context)
        cairo_surface_finish(surface)
        let status = cairo_surface_status(surface)
        cairo_surface_destroy(surface)
        return withExtendedLifetime(target) {
            status == CAIRO_STATUS_SUCCESS ? (target.bytes, document.unknownGlyphs) : nil
        }
    }

    private init(context: OpaquePointer, footer: String) {
        self.context = context
        self.footer = footer
    }

    private mutating func add(_ block: ReportBlock) {
        switch block {
        case .title(let text):
            add([(text, 0, "DejaVu Sans Bold 16")])
            y += 8
        case .heading(let text):
            // A heading is not left alone at the end of a page.
            if y > PDFDocument.height - PDFDocument.margin - 60 { turnPage() }
            y += 10
            add([(text, 0, "DejaVu Sans Bold 11")])
            y += 2
        case .row(let name, let text):
            add([(name, 0, "DejaVu Sans Bold 7"), (text, PDFDocument.label, "DejaVu Sans 8")])
        case .text(let text): add([(text, 0, "DejaVu Sans 8")])
        case .sketch(let sketch): draw(sketch)
        }
    }

    /// Adds columns that start at the same height.
    private mutating func add(_ columns: [(text: String, left: Double, font: String)]) {
        let layouts = columns.filter { !$0.text.isEmpty }.map { column in
            (
                Layout(
                    column.text, font: column.font, on: context,
                    width: column.left == 0 && columns.count > 1
                        ? PDFDocument.label - 8
                        : PDFDocument.width - 2 * PDFDocument.margin - column.left),
                column.left
            )
        }
        let needed = layouts.map(\.0.height).max() ?? 0
        if y + needed > PDFDocument.height - PDFDocument.margin { turnPage() }
        for (layout, left) in layouts {
            layout.show(x: PDFDocument.margin + left, y: y)
            unknownGlyphs += layout.unknownGlyphs
        }
        y += needed + 3
    }

    private mutating func turnPage() {
        endPage()
        page += 1
        y = PDFDocument.margin
    }

    private func endPage() {
        let layout = Layout(
            "\(footer) · \(page)", font: "DejaVu Sans 7", on: context,
            width: PDFDocument.width - 2 * PDFDocument.margin)
        layout.show(x: PDFDocument.margin, y: PDFDocument.height - PDFDocument.margin + 12)
        cairo_show_page(context)
    }

    // MARK: Sketch

    private mutating func draw(_ sketch: Sketch) {
        let high = Double(Sketch.height)
        if y + high > PDFDocument.height - PDFDocument.margin { turnPage() }
        cairo_save(context)
        cairo_translate(context, PDFDocument.margin + PDFDocument.label, y)
        cairo_rectangle(context, 0, 0, Double(Sketch.width), high)
        cairo_set_line_width(context, 0.5)
        cairo_set_source_rgb(context, 0.6, 0.6, 0.6)
        cairo_stroke_preserve(context)
        cairo_clip(context)
        circle(at: sketch.newest.point, radius: sketch.accuracy)
        cairo_set_source_rgba(context, 0.23, 0.51, 0.96, 0.2)
        cairo_fill(context)
        cairo_set_source_rgb(context, 0.2, 0.2, 0.2)
        cairo_set_line_width(context, 1.5)
        for (index, point) in sketch.trail.enumerated() {
            if index == 0 {
                cairo_move_to(context, Double(point.x), Double(point.y))
            } else {
                cairo_line_to(context, Double(point.x), Double(point.y))
            }
        }
        cairo_stroke(context)
        for point in sketch.suspects {
            circle(at: point, radius: 4)
            cairo_stroke(context)
        }
        circle(at: sketch.newest.point, radius: 5)
        cairo_set_source_rgb(context, 0.23, 0.51, 0.96)
        if sketch.newest.isSuspect { cairo_stroke(context) } else { cairo_fill(context) }
        drawScale(of: sketch)
        cairo_restore(context)
        y += high + 6
    }

    private func drawScale(of sketch: Sketch) {
        let bottom = Double(Sketch.height) - 12
        cairo_set_source_rgb(context, 0, 0, 0)
        cairo_set_line_width(context, 1)
        cairo_move_to(context, 12, bottom - 5)
        cairo_line_to(context, 12, bottom)
        cairo_line_to(context, 12 + Double(sketch.scale), bottom)
        cairo_line_to(context, 12 + Double(sketch.scale), bottom - 5)
        cairo_stroke(context)
        let text =
            sketch.scaleMetres >= 1000
            ? "\(sketch.scaleMetres / 1000) km" : "\(sketch.scaleMetres) m"
        Layout(text, font: "DejaVu Sans 7", on: context, width: 100).show(x: 16, y: bottom - 13)
        Layout("N ↑", font: "DejaVu Sans 8", on: context, width: 40)
            .show(x: Double(Sketch.width) - 28, y: 10)
    }

    private func circle(at point: Sketch.Point, radius: Int) {
        cairo_new_path(context)
        cairo_arc(context, Double(point.x), Double(point.y), Double(radius), 0, 2 * .pi)
    }
}

/// Text of one font description, broken into lines.
private final class Layout {
    private let layout: OpaquePointer
    private let context: OpaquePointer
    let height: Double

    /// - Parameter width: points
    init(_ text: String, font: String, on context: OpaquePointer, width: Double) {
        guard let layout = pango_cairo_create_layout(context),
            let description = pango_font_description_from_string(font)
        else { fatalError("broken invariant: Pango has memory for a line") }
        self.layout = layout
        self.context = context
        pango_layout_set_font_description(layout, description)
        pango_font_description_free(description)
        pango_layout_set_width(layout, Int32(width * 1024))
        pango_layout_set_wrap(layout, 2)
        pango_layout_set_text(layout, text, -1)
        var size: (width: Int32, height: Int32) = (0, 0)
        pango_layout_get_size(layout, &size.width, &size.height)
        height = Double(size.height) / 1024
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

    var unknownGlyphs: Int { Int(pango_layout_get_unknown_glyphs_count(layout)) }

    func show(x: Double, y: Double) {
        cairo_set_source_rgb(context, 0, 0, 0)
        cairo_move_to(context, x, y)
        pango_cairo_show_layout(context, layout)
    }
}

/// The bytes of a document while cairo writes it.
private final class Bytes {
    var bytes: [UInt8] = []
}

private func append(
    _ closure: UnsafeMutableRawPointer?, _ data: UnsafePointer<UInt8>?, _ count: UInt32
) -> cairo_status_t {
    guard let closure, let data else { return CAIRO_STATUS_WRITE_ERROR }
    Unmanaged<Bytes>.fromOpaque(closure).takeUnretainedValue().bytes += UnsafeBufferPointer(
        start: data, count: Int(count))
    return CAIRO_STATUS_SUCCESS
}
