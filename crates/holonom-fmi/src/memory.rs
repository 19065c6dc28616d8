//! Pointers from outside, as what they stand for. With `log.rs` the only place where a pointer is followed.

use std::ffi::{CStr, c_char};

/// The elements of an array; none where its length is 0.
///
/// # Safety
/// `pointer` is null or valid for `n` elements for as long as they are used.
pub unsafe fn array<'a, T>(pointer: *const T, n: usize) -> Option<&'a [T]> {
    if n == 0 {
        return Some(&[]);
    }
    // SAFETY: promised by the caller
    (!pointer.is_null()).then(|| unsafe { std::slice::from_raw_parts(pointer, n) })
}

/// The elements of an array that is to be written.
///
/// # Safety
/// As for [`array`], and nobody else uses them meanwhile.
pub unsafe fn array_mut<'a, T>(pointer: *mut T, n: usize) -> Option<&'a mut [T]> {
    if n == 0 {
        return Some(&mut []);
    }
    // SAFETY: promised by the caller
    (!pointer.is_null()).then(|| unsafe { std::slice::from_raw_parts_mut(pointer, n) })
}

/// Write to a place that the caller may have left out.
///
/// # Safety
/// `place` is null or valid for writing.
pub unsafe fn write<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: promised by the caller
        unsafe { place.write(value) }
    }
}

/// Read a place; none where there is none.
///
/// # Safety
/// `place` is null or valid for reading.
pub unsafe fn read<T: Copy>(place: *const T) -> Option<T> {
    // SAFETY: promised by the caller
    (!place.is_null()).then(|| unsafe { place.read() })
}

/// A text; what is no UTF-8 in it is replaced.
///
/// # Safety
/// `text` is null or ends in a zero.
pub unsafe fn text(text: *const c_char) -> Option<String> {
    // SAFETY: promised by the caller
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// Hand a thing over to the caller.
pub fn give<T>(thing: T) -> *mut T {
    Box::into_raw(Box::new(thing))
}

/// Take back what was handed over.
///
/// # Safety
/// `pointer` is null or comes from [`give`], and is not used any more.
pub unsafe fn take_back<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: promised by the caller
        drop(unsafe { Box::from_raw(pointer) });
    }
}

/// A thing that was handed over, to work with.
///
/// # Safety
/// `pointer` is null or comes from [`give`], was not taken back, and nobody else uses it meanwhile.
pub unsafe fn borrow<'a, T>(pointer: *mut T) -> Option<&'a mut T> {
    // SAFETY: promised by the caller
    unsafe { pointer.as_mut() }
}
