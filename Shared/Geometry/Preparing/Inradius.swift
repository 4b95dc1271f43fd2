import Model

extension PreparedGeometry {
    /// Radius of the largest inscribed circle in centimetres, at most 1 % or 10 cm too small.
    func largestInscribedRadius(in plane: Plane) -> Int32 {
        let all = Edge.all(of: self, in: plane)
        // A circle may extend over polygons that share an edge.
        guard all.allSatisfy(\.isOutline) else {
            return Int32((all.inscribedRadius(atLeast: 0) * 100).rounded(.down))
        }
        var best = 0.0
        var start = 0
        for polygon in polygons {
            let count = polygon.reduce(0) { $0 + $1.count }
            best = Array(all[start..<start + count]).inscribedRadius(atLeast: best)
            start += count
        }
        return Int32((best * 100).rounded(.down))
    }
}

extension [Edge] {
    /// Radius in metres of the largest inscribed circle, or `known` if that is larger.
    ///
    /// Square cells that may contain a better centre are divided into four, the most promising
    /// first (polylabel).
    fileprivate func inscribedRadius(atLeast known: Double) -> Double {
        let box = Box(around: self)
        guard Swift.min(box.east - box.west, box.north - box.south) / 2 > known else {
            return known
        }
        let outline = filter(\.isOutline)
        var best = known
        var queue = Cells()
        func consider(_ x: Double, _ y: Double, _ half: Double) {
            let clear = outline.clearance(x: x, y: y)
            let inside = enclose(x: x, y: y)
            let radius = inside ? clear : -clear
            best = Swift.max(best, radius)
            queue.append(Cell(x: x, y: y, half: half, most: radius + half * 2.squareRoot()))
        }
        consider(
            (box.west + box.east) / 2, (box.south + box.north) / 2,
            Swift.max(box.east - box.west, box.north - box.south) / 2)
        for _ in 0..<cellsMax {
            guard let cell = queue.popMostPromising(),
                cell.most > best + Swift.max(0.1, best * 0.01)
            else { break }
            let quarter = cell.half / 2
            consider(cell.x - quarter, cell.y - quarter, quarter)
            consider(cell.x + quarter, cell.y - quarter, quarter)
            consider(cell.x - quarter, cell.y + quarter, quarter)
            consider(cell.x + quarter, cell.y + quarter, quarter)
        }
        return best
    }
}

/// Sufficient for a narrow, winding shape of maximum size.
private let cellsMax = 4000

private struct Cell {
    var x: Double
    var y: Double
    var half: Double
    /// Upper bound of the radius of circles around points of this cell.
    var most: Double
}

/// Heap of cells, the most promising first.
private struct Cells {
    private var cells: [Cell] = []

    mutating func append(_ cell: Cell) {
        cells.append(cell)
        var index = cells.count - 1
        while index > 0, cells[(index - 1) / 2].most < cells[index].most {
            cells.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func popMostPromising() -> Cell? {
        guard let top = cells.first, let last = cells.popLast() else { return nil }
        guard !cells.isEmpty else { return top }
        cells[0] = last
        var index = 0
        while 2 * index + 1 < cells.count {
            var child = 2 * index + 1
            if child + 1 < cells.count, cells[child].most < cells[child + 1].most { child += 1 }
            guard cells[index].most < cells[child].most else { break }
            cells.swapAt(index, child)
            index = child
        }
        return top
    }
}
