//! Relations between scalar types that exist for their error messages: a handle's trait is implemented if the relation holds
//! between the types of the values, so rustc names these types instead of the handles.

/// The same type.
#[diagnostic::on_unimplemented(
    message = "expected a value of type `{U}`, found one of type `{Self}`",
    label = "not a `{U}`",
    note = "the kernel language has no implicit conversions: use `as` between numbers",
    note = "`Var<T>` is a `T` that the kernel computes"
)]
pub trait SameType<U> {}

#[diagnostic::do_not_recommend]
impl<T> SameType<T> for T {}

/// The type of a condition: `bool`.
#[diagnostic::on_unimplemented(
    message = "expected a condition, found a value of type `{Self}`",
    label = "not a `bool`",
    note = "compare with `!=` first",
    note = "`Var<T>` is a `T` that the kernel computes"
)]
pub trait ConditionType {}

impl ConditionType for bool {}
