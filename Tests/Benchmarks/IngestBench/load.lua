-- Requests of `wrk` for `scripts/bench-ingest` and `scripts/bench-emergencies`:
-- `wrk … -s load.lua URL -- KIND TOKENS MEMBERS [PAUSE]`.
-- KIND is pub (one OwnTracks fix per request), overland or reports (200 fixes per request), members
-- (like reports, of the first phones, which are in one circle), positions of that circle, or day
-- (one fix per request, of the last 100 phones in turn, over yesterday). PAUSE is the time between
-- two requests of a connection, milliseconds.
-- Prints one line of JSON at the end.

local threads = 0

function setup(thread)
    thread:set("number", threads)
    threads = threads + 1
end

local kind, circle, reader
local tokens = {}
local first, last, phone

function init(arguments)
    kind = arguments[1]
    local members = tonumber(arguments[3])
    local pause = tonumber(arguments[4]) or 0
    if pause > 0 then function delay() return pause end end
    math.randomseed(os.time() + number)
    local lines = io.lines(arguments[2])
    circle, reader = lines(), lines()
    for line in lines do tokens[#tokens + 1] = line end
    first, last = members + 1, #tokens
    if kind == "members" then first, last = 1, members end
    if kind == "day" then first = last - 99 end
    -- Threads and runs start at different phones.
    phone = math.random(first, last)
end

local function point()
    return 3 + math.random() * 0.5, 101.4 + math.random() * 0.5
end

local function owntracks()
    local lat, lon = point()
    return string.format(
        '{"_type":"location","_id":"%08x","acc":12,"alt":40,"batt":77,"bs":1,"cog":271,' ..
        '"conn":"m","created_at":%d,"lat":%.6f,"lon":%.6f,"m":1,"t":"t","tid":"ab",' ..
        '"topic":"owntracks/user/phone","tst":%d,"vac":3,"vel":4}',
        math.random(0, 2147483647), os.time(), lat, lon, os.time())
end

local formats = {
    reports = '{"time":"%s.%03dZ","lat":%.6f,"lon":%.6f,"accuracy":8,"altitude":40,' ..
        '"speed":1.5,"battery":77,"charging":false}',
    overland = '{"type":"Feature","properties":{"timestamp":"%s.%03dZ","altitude":40,"speed":4,' ..
        '"horizontal_accuracy":8,"vertical_accuracy":3,"motion":["walking"],' ..
        '"battery_state":"unplugged","battery_level":0.77,"wifi":"home","device_id":"phone"},' ..
        '"geometry":{"type":"Point","coordinates":[%.6f,%.6f]}}',
}

-- 200 recent fixes. Formatting is slow, so twenty bodies are created once. Each second, SECOND in
-- them is replaced by the time; the word has no special characters of Lua patterns.
local bodies = {}
local SECOND = "SECOND"

local function batch()
    local lat, lon = point()
    local fixes = {}
    for step = 1, 200 do
        local north = lat + step / 1e5
        if kind == "overland" then
            fixes[step] = string.format(formats.overland, SECOND, step, lon, north)
        else
            fixes[step] = string.format(formats.reports, SECOND, step, north, lon)
        end
    end
    return table.concat(fixes, ",")
end

local formatted, formattedAt = {}, 0

-- One of the bodies, with fixes of the previous second. The interval between two requests of a
-- phone is longer than a second, so all of its fixes are new.
local function body(before, after)
    if #bodies == 0 then
        for number = 1, 20 do bodies[number] = before .. batch() .. after end
    end
    if os.time() ~= formattedAt then
        formattedAt = os.time()
        local second = os.date("!%Y-%m-%dT%H:%M:%S", formattedAt - 1)
        for number, text in ipairs(bodies) do formatted[number] = text:gsub(SECOND, second) end
    end
    return formatted[math.random(#formatted)]
end

local rounds = 0

-- A fix one minute after the previous one of the same phone.
local function dayFix()
    if phone == first then rounds = rounds + 1 end
    local lat, lon = point()
    local time = os.time() - 90000 + rounds % 1440 * 60 + phone % 50
    return string.format(
        '{"time":"%s.%03dZ","lat":%.7f,"lon":%.7f,"accuracy":%.1f,"altitude":%.1f,' ..
        '"speed":%.1f,"course":%d,"battery":77,"charging":false}',
        os.date("!%Y-%m-%dT%H:%M:%S", time), math.random(0, 999), lat, lon,
        math.random(3, 90), math.random(10, 90), math.random(0, 30), math.random(0, 359))
end

function request()
    phone = phone < last and phone + 1 or first
    local headers = {
        ["Authorization"] = "Bearer " .. (kind == "positions" and reader or tokens[phone]),
        ["Content-Type"] = "application/json",
    }
    if kind == "positions" then
        return wrk.format("GET", "/v1/circles/" .. circle .. "/positions", headers)
    elseif kind == "pub" then
        return wrk.format("POST", "/pub", headers, owntracks())
    elseif kind == "day" then
        return wrk.format("POST", "/v1/reports", headers, dayFix())
    elseif kind == "overland" then
        return wrk.format("POST", "/overland", headers, body('{"locations":[', ']}'))
    end
    return wrk.format("POST", "/v1/reports", headers, body('{"reports":[', ']}'))
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '{"requests":%d,"seconds":%.6f,"failed":%d,"p50":%.3f,"p99":%.3f}\n',
        summary.requests, summary.duration / 1e6,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
