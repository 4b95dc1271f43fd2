import Model

extension PreparedGeometry {
    /// Radius of the largest circle inside, centimetres, at most 1 % or 10 cm too small.
    func largestInscribedRadius(in plane: Plane) -> Int32 {
        let all = Edge.all(of: self, in: plane)
        // Polygons that share an edge may hold a circle together.
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
    /// Radius in metres of the largest circle inside, if it is larger than what is known already.
    ///
    /// Squares that may hold a better middle than the best found so far are cut in four, the
    /// most promising first.
    fileprivate func inscribedRadius(atLeast known: Double) -> Double {
        let box = Box(around: self)
        guard Swift.min(box.east - box.west, box.north - box.south) / 2 > known else {
            return known
        }
        let outline = filter(\.isOutline)
        var best = known
        var waiting = Cells()
        func consider(_ x: Double, _ y: Double, _ half: Double) {
            let clear = outline.clearance(x: x, y: y)
            let inside = enclose(x: x, y: y)
            let radius = inside ? clear : -clear
            best = Swift.max(best, radius)
            waiting.append(Cell(x: x, y: y, half: half, most: radius + half * 2.squareRoot()))
        }
        consider(
            (box.west + box.east) / 2, (box.south + box.north) / 2,
            Swift.max(box.east - box.west, box.north - box.south) / 2)
        for _ in 0..<cellsMax {
            guard let cell = waiting.popMostPromising(),
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

/// More than a thin, winding shape of the largest size needs.
private let cellsMax = 4000

private struct Cell {
    var x: Double
    var y: Double
    var half: Double
    /// No circle around a point of this cell is larger.
    var most: Double
}

/// A heap of cells, the most promising first.
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
