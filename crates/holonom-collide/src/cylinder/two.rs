//! Two cylinders: rims above caps, sides across sides, and the nearest point of a rim where neither accounts for the room there is.

use super::search::nearest_rim_point;
use super::{Cylinder, TIE, point_on, rims_above, rounded};
use crate::Vec3;
use crate::candidate::{Kind, Touch, unit_or};
use crate::pair::{Pair, Side};
use crate::plane::Plane;
use crate::sat::PARALLEL;

/// Two cylinders.
pub(crate) fn on_cylinder(pair: &mut Pair, first: &Cylinder, second: &Cylinder) {
    let relative = pair.relative;
    let seen = second.seen(relative.turn, relative.shift);
    let between = first.centre - seen.centre;
    let room = |n: Vec3| n.dot(between) - first.extent(n) - seen.extent(n);
    let across = first.axis().cross(seen.axis());
    let sine = across.length();
    let side = if sine > PARALLEL {
        across / sine
    } else {
        unit_or(between - first.axis() * between.dot(first.axis()), first.axes.x_axis)
    };
    let side = if side.dot(between) < 0.0 { -side } else { side };
    let (near_second, near_first) =
        (usize::from(seen.axis().dot(between) > 0.0), usize::from(first.axis().dot(between) < 0.0));
    let cap_second = seen.axis() * seen.out(near_second);
    let cap_first = first.axis() * -first.out(near_first);
    let tie = 1e-11 * (first.radius + first.half_length + second.radius + second.half_length);
    let rooms = [room(cap_second), room(cap_first), room(side)];
    let apart = rooms[0].max(rooms[1]).max(rooms[2]);
    if apart > pair.core_limit() {
        return;
    }
    let limit = pair.core_limit();
    let mut least = f64::INFINITY;
    let overlap = apart <= tie;
    // Rims of one above the cap of the other, both ways.
    let on_disc = |c: &Cylinder, end: usize, x: Vec3| {
        let arm = x - c.end(end);
        (arm - c.axis() * arm.dot(c.axis())).length() <= c.radius * (1.0 + 1e-9)
    };
    if !overlap || rooms[0] >= apart - tie {
        let o = seen.end(near_second);
        let native = Plane { o: second.end(near_second), n: second.axis() * second.out(near_second) };
        let fits = |height: f64| height >= if overlap { -2.0 * second.half_length } else { -tie };
        let inside = |x: Vec3| fits(cap_second.dot(x - o)) && on_disc(&seen, near_second, x);
        let id = near_second as u32;
        least = least.min(rims_above(pair, Side::First, first, first, id, (native, o, cap_second), inside));
    }
    if !overlap || rooms[1] >= apart - tie {
        let o = first.end(near_first);
        let native = Plane { o, n: -cap_first };
        let fits = |height: f64| height >= if overlap { -2.0 * first.half_length } else { -tie };
        let inside = |x: Vec3| fits(-cap_first.dot(x - o)) && on_disc(first, near_first, x);
        let id = near_first as u32;
        least = least.min(rims_above(pair, Side::Second, second, &seen, id, (native, o, -cap_first), inside));
    }
    if !overlap || rooms[2] >= apart - tie {
        least = least.min(sides(pair, first, second, &seen, side, sine));
    }
    if least <= apart + 4.0 * tie {
        return;
    }
    // A rim beside a side or another rim, apart or a little in: its nearest point, as a point.
    let of_first = nearest_rim_point(first, |x| seen.distance(x));
    let of_second = nearest_rim_point(&seen, |y| first.distance(y));
    let first_nearer = of_first.distance <= of_second.distance + tie;
    let (distance, n) = if first_nearer {
        seen.distance_by(of_first.x, TIE * seen.radius)
    } else {
        let (distance, n) = first.distance_by(of_second.x, TIE * first.radius);
        (distance, -n)
    };
    let size = 1e11 * tie;
    // Both rims a little in each other, or one point out or in with a plane that (nearly) parts them there. Closer than 1e-8, the
    // direction is rounding.
    let other = of_first.distance.max(of_second.distance);
    let thin = first.radius.min(first.half_length).min(second.radius).min(second.half_length);
    let shallow = distance.abs() < 1e-8 * size
        || room(n) > distance.min(2.0 * distance) - 1e-7 * size
        || (other < tie && distance > 0.2 * apart && apart > -0.5 * thin);
    if overlap && !shallow {
        // Deep in: the axis, which does part them.
        if rooms[0] >= apart - tie {
            let native = Plane { o: second.end(near_second), n: second.axis() * second.out(near_second) };
            let plane = (native, seen.end(near_second), cap_second);
            rims_above(pair, Side::First, first, first, near_second as u32, plane, |_| true);
        } else if rooms[1] >= apart - tie {
            let plane = (Plane { o: first.end(near_first), n: -cap_first }, first.end(near_first), -cap_first);
            rims_above(pair, Side::Second, second, &seen, near_first as u32, plane, |_| true);
        } else {
            let (d, e, outward) = (first.axis(), second.axis(), pair.world * side);
            let touch = Touch::LineLine { p: first.centre, d, o: second.centre, e, outward };
            rounded(pair, first.radius, second.radius, |pair| pair.push(Side::First, Kind::EdgeEdge, 0, 0, touch));
        }
    } else if distance < least - tie && distance <= limit {
        if first_nearer {
            point_on(pair, Side::First, of_first.x, of_first.x, second, &seen);
        } else {
            let y = of_second.x;
            point_on(pair, Side::Second, relative.point_back(y), y, first, first);
        }
    }
}

/// Two sides: crossing, or one along the other.
fn sides(pair: &mut Pair, first: &Cylinder, second: &Cylinder, seen: &Cylinder, n: Vec3, sine: f64) -> f64 {
    let (d, e, w) = (first.axis(), seen.axis(), first.centre - seen.centre);
    let limit = pair.core_limit();
    let radii = first.radius + second.radius;
    if sine > PARALLEL {
        let (de, dw, ew) = (d.dot(e), d.dot(w), e.dot(w));
        let (s, t) = ((de * ew - dw) / (sine * sine), (ew - de * dw) / (sine * sine));
        let height = n.dot(w) - radii;
        if s.abs() > first.half_length || t.abs() > second.half_length || height > limit {
            return f64::INFINITY;
        }
        let outward = pair.world * n;
        let touch = Touch::LineLine { p: first.centre, d, o: second.centre, e: second.axis(), outward };
        rounded(pair, first.radius, second.radius, |pair| pair.push(Side::First, Kind::EdgeEdge, 0, 0, touch));
        return height;
    }
    let mut least = f64::INFINITY;
    for (side, of, own, other, line) in
        [(Side::First, first, first, seen, second), (Side::Second, seen, second, first, first)]
    {
        for end in 0..2 {
            let arm = of.end(end) - other.centre;
            let along = arm.dot(other.axis());
            let height = (arm - other.axis() * along).length() - radii;
            if along.abs() <= other.half_length && height <= limit {
                let touch = Touch::PointLine { p: own.end(end), o: line.centre, d: line.axis() };
                let (r, s) = (first.radius, second.radius);
                rounded(pair, r, s, |pair| pair.push(side, Kind::VertexEdge, end as u32, 0, touch));
                least = least.min(height);
            }
        }
    }
    least
}
