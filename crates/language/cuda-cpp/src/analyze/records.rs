//! Analysis of classes.

use super::Analyzer;
use super::scopes::Binding;
use crate::lex::known;
use crate::source::SourceProblem;
use crate::syntax::*;
use crate::types::{Record, RecordField, RecordId, TypeId, TypeKind};
use std::rc::Rc;

impl Analyzer {
    /// The class that a specifier names or defines. All declarators after a class without a name have the same type.
    pub(super) fn record_type(&mut self, syntax: &Rc<RecordSyntax>) -> TypeId {
        if syntax.name.is_some() {
            return self.named_record(syntax);
        }
        let key = (Rc::as_ptr(syntax), self.scope);
        if let Some((_, ty)) = self.unnamed.get(&key) {
            return *ty;
        }
        let ty = self.named_record(syntax);
        self.unnamed.insert(key, (syntax.clone(), ty));
        ty
    }

    fn named_record(&mut self, syntax: &Rc<RecordSyntax>) -> TypeId {
        let simple = syntax.name.as_ref().and_then(QualifiedName::simple);
        if let Some(name) = &syntax.name
            && simple.is_none()
        {
            let ty = self.named_type(name);
            // `struct Outer::Inner { .. };` defines a class that `Outer` only declares.
            if syntax.members.is_some()
                && let Some(record) = self.types.record_of(ty)
                && !self.types.record(record).complete
            {
                self.define_record(record, ty, syntax);
            }
            return ty;
        }
        if syntax.members.is_none()
            && let Some(ty) = simple.and_then(|name| self.hidden_class(name))
        {
            return ty;
        }
        let known = match simple.and_then(|name| self.scopes[self.scope].names.get(&name).cloned())
        {
            Some(Binding::Type(ty)) => self.types.record_of(ty).map(|record| (record, ty)),
            _ => None,
        };
        if syntax.members.is_none() && known.is_none() {
            // `struct Name` may name a class of an enclosing scope.
            if let Some(name) = simple
                && let Some((Binding::Type(ty), _)) = self.find(name)
            {
                return ty;
            }
            if syntax.is_use {
                let scope = self.scope_of_use();
                if scope != self.scope {
                    return self.within(scope, |this| this.record_type(syntax));
                }
            }
        }
        // A class definition is analyzed once in each scope that contains it.
        if let Some((record, ty)) = known
            && (syntax.members.is_none() || self.types.record(record).complete)
        {
            let first = self.types.record(record).span;
            // Two files of a program may include a header without a guard.
            if syntax.members.is_some()
                && first != syntax.span
                && !self.parser.map.same_place(first, syntax.span)
            {
                let name = self.types.record(record).name.clone();
                let problem =
                    SourceProblem::error(syntax.span, format!("class `{name}` is defined twice"));
                self.report(problem.note(first, "first defined here"));
            }
            return ty;
        }
        let (record, ty) = known.unwrap_or_else(|| {
            let text = simple.map_or(String::new(), |name| self.text(name).to_owned());
            self.new_record(&text, syntax)
        });
        if let Some(name) = simple {
            self.bind(name, Binding::Type(ty));
        }
        if syntax.members.is_some() {
            self.define_record(record, ty, syntax);
        } else {
            self.types.record_mut(record).span = syntax.span;
        }
        ty
    }

    /// Creates a class without members.
    pub(super) fn new_record(&mut self, name: &str, syntax: &RecordSyntax) -> (RecordId, TypeId) {
        let scope = self.add_scope(self.scope);
        let mangled = self.nested_name(name);
        let record = Record {
            name: name.to_owned(),
            mangled,
            is_union: syntax.is_union,
            scope,
            span: syntax.span,
            ..Record::default()
        };
        let (record, ty) = self.types.add_record(record);
        self.scopes[scope].record = Some(record);
        (record, ty)
    }

    /// Declares the members and computes the layout.
    pub(super) fn define_record(&mut self, id: RecordId, ty: TypeId, syntax: &Rc<RecordSyntax>) {
        let scope = self.types.record(id).scope;
        if let Some(name) = syntax.name.as_ref().map(|name| name.last().name)
            && !self.scopes[scope].names.contains_key(&name)
        {
            self.bind_in(scope, name, Binding::Type(ty));
        }
        let mut bases = Vec::new();
        for (base, expands) in &syntax.bases {
            // A class of host code may have bases that only the host knows.
            let kinds = if *expands && self.host {
                self.expand_type(base, base.span)
            } else if *expands {
                let kinds = self.trial(|this| this.expand_type(base, base.span));
                kinds.unwrap_or_else(|| vec![TypeId::ERROR])
            } else if self.host {
                vec![self.type_of(base)]
            } else {
                vec![self.trial(|this| this.type_of(base)).unwrap_or(TypeId::ERROR)]
            };
            bases.extend(kinds.into_iter().map(|kind| (base, kind)));
        }
        for (base, kind) in bases {
            match self.types.record_of(kind) {
                Some(record) if self.types.record(record).complete => {
                    let found = self.types.record(record);
                    let (needs, destructor) =
                        (found.needs_construction || found.has_constructors, found.has_destructor);
                    let partial = found.partial;
                    let record = self.types.record_mut(id);
                    record.bases.push((kind, 0));
                    record.partial |= partial;
                    record.needs_construction |= needs;
                    record.has_destructor |= destructor;
                }
                _ if kind == TypeId::ERROR || self.is_of_host(kind) => {
                    self.types.record_mut(id).partial = true;
                }
                _ => {
                    let shown = self.show(kind);
                    self.error(
                        base.span,
                        format!("{shown} cannot be a base: it is not a complete class"),
                    );
                }
            }
        }
        self.types.record_mut(id).is_union = syntax.is_union;
        self.types.record_mut(id).span = syntax.span;
        let members = syntax.members.as_deref().unwrap_or_default();
        self.within(scope, |this| {
            for member in members {
                this.member(id, member);
            }
        });
        let align = self.within(scope, |this| this.alignment(&syntax.alignment));
        self.collect_virtuals(id);
        self.types.record_mut(id).pack = syntax.pack;
        if !self.types.lay_out(id, align) {
            let problem = SourceProblem::unsupported(syntax.span, "this packed bit field layout");
            self.report(problem);
        }
        if self.types.record(id).size > 1 << 40 {
            self.error(syntax.span, "this class is too large");
            self.types.record_mut(id).size = 1;
        }
    }

    fn member(&mut self, id: RecordId, member: &Declaration) {
        match &member.kind {
            DeclarationKind::Variable(variable) => self.data_member(id, variable),
            DeclarationKind::Function(function) => self.member_function(id, function, None),
            DeclarationKind::Template(parameters, inner) => match &inner.kind {
                DeclarationKind::Function(function) => {
                    self.member_function(id, function, Some(parameters.clone()));
                }
                _ => self.item(member),
            },
            DeclarationKind::Record(record) => {
                let ty = self.record_type(record);
                // An anonymous union or struct without variables is a member without a name. If variables follow
                // it, `data_member` finds it by its syntax.
                if record.name.is_none() {
                    self.bind(known::EMPTY, Binding::Type(ty));
                    self.anonymous_member(id, ty);
                }
            }
            DeclarationKind::Using(names) => {
                for (name, expands) in names {
                    if *expands {
                        let scope = self.scope;
                        self.expand_name(name, |this| {
                            this.using_member(id, name, scope);
                        });
                    } else {
                        self.using_member(id, name, self.scope);
                    }
                }
            }
            _ => self.item(member),
        }
    }

    fn anonymous_member(&mut self, id: RecordId, ty: TypeId) {
        let offset = 0;
        let name = known::EMPTY;
        let field = RecordField {
            name,
            kind: ty,
            offset,
            align: 0,
            bits: None,
            default: None,
            is_mutable: false,
        };
        self.types.record_mut(id).fields.push(field);
    }

    fn using_member(&mut self, id: RecordId, name: &QualifiedName, own: usize) {
        // `using Base::Base` inherits constructors.
        let count = name.parts.len();
        let inherits = count >= 2 && {
            let before = name.parts[count - 2].name;
            before == name.last().name || self.text(before) == self.text(name.last().name)
        };
        if let Ok(Some(scope)) = self.qualifier_scope(name) {
            let constructor = self.parser.names.intern("<constructor>");
            let base = self.scopes[scope].record.is_some_and(|base| {
                self.types
                    .record(id)
                    .bases
                    .iter()
                    .any(|(ty, _)| self.types.record_of(*ty) == Some(base))
            });
            if inherits && base {
                if let Some(Binding::Functions(list)) = self.find_in(scope, constructor, 0) {
                    // The class has its own default, copy and move constructors.
                    let home = self.scopes[scope].record;
                    let copies = home.map_or(Vec::new(), |home| self.copy_constructors(home));
                    for base in list {
                        let none = self.function(base).syntax.signature.parameters.is_empty();
                        if !none && !copies.contains(&base) {
                            self.inherit_constructor(id, base);
                        }
                    }
                }
                return;
            }
            match self.find_in(scope, name.last().name, 0) {
                Some(binding) => self.bind_in(own, name.last().name, binding),
                None => {
                    let text = self.text(name.last().name).to_owned();
                    self.error(name.span, format!("the base has no member `{text}`"));
                }
            }
        }
    }

    fn data_member(&mut self, id: RecordId, variable: &VariableSyntax) {
        if variable.specifiers.is_static {
            self.module_variable(variable, true);
            return;
        }
        // `struct { ... } name;`: the class was declared immediately before.
        let anonymous =
            matches!(&variable.kind.base, BaseType::Record(record) if record.name.is_none());
        let mut ty = if anonymous {
            if self.types.record(id).fields.last().is_some_and(|field| field.name == known::EMPTY) {
                self.types.record_mut(id).fields.pop();
            }
            match self.scopes[self.scope].names.get(&known::EMPTY) {
                Some(Binding::Type(base)) => {
                    let base = *base;
                    self.derive(&variable.kind, base, variable.kind.derived.len())
                }
                _ => self.type_of(&variable.kind),
            }
        } else {
            // A class of host code may have members whose types only the host knows.
            self.trial(|this| this.type_of(&variable.kind)).unwrap_or(TypeId::ERROR)
        };
        let (name, span) = (variable.name.last().name, variable.span);
        if ty == TypeId::ERROR || self.is_of_host(self.element_of(ty)) {
            // Add the member anyway, so that its uses do not cause further errors.
            let bare = TypeId::ERROR;
            let field = RecordField {
                name,
                kind: bare,
                offset: 0,
                align: 0,
                bits: None,
                default: None,
                is_mutable: false,
            };
            self.types.record_mut(id).fields.push(field);
            self.types.record_mut(id).partial = true;
            return;
        }
        if let TypeKind::Array(element, None) = self.types.kind(ty).clone() {
            ty = self.types.intern(TypeKind::Array(element, Some(0)));
        }
        let incomplete = match self.types.kind(ty) {
            TypeKind::Record(record) => !self.types.record(*record).complete,
            TypeKind::Function(_) => true,
            TypeKind::Builtin(BuiltinType::Void) => true,
            _ => false,
        };
        if incomplete {
            let shown = self.show(ty);
            self.error(span, format!("a member cannot have the incomplete type {shown}"));
            return;
        }
        let align = self.alignment(&variable.specifiers.alignment);
        let mut bits = None;
        if let Some(width) = &variable.width {
            let typed = self.expression(width);
            let Some(value) = self.constant_value(&typed) else {
                self.error(width.span, "the width of a bit field must be a constant");
                return;
            };
            if value > u64::from(self.types.bits(ty)) || self.types.is_aggregate(ty) {
                self.error(width.span, "the width of this bit field exceeds its type");
                return;
            }
            bits = Some((0, value as u8));
        }
        let default = match &variable.initializer {
            Initializer::None => None,
            Initializer::Copy(value) | Initializer::List(value) => Some(Rc::new(value.clone())),
            Initializer::Direct(_) => None,
        };
        let element = self.element_of(ty);
        let (needs, destructor) = self.types.record_of(element).map_or((false, false), |record| {
            let record = self.types.record(record);
            (record.needs_construction || record.has_constructors, record.has_destructor)
        });
        let partial = self.is_partial(element);
        let record = self.types.record_mut(id);
        record.partial |= partial;
        record.needs_construction |= needs || default.is_some();
        record.has_destructor |= destructor;
        let is_mutable = variable.specifiers.is_mutable;
        record.fields.push(RecordField {
            name,
            kind: ty,
            offset: 0,
            align,
            bits,
            default,
            is_mutable,
        });
    }

    /// Whether a type is a class of the host's library, which device code knows only by name.
    fn is_of_host(&self, ty: TypeId) -> bool {
        !self.host
            && self.types.record_of(ty).is_some_and(|record| {
                let record = self.types.record(record);
                !record.complete && self.parser.map.is_builtin(record.span)
            })
    }

    /// Whether a type is a class whose layout device code does not know.
    pub(super) fn is_partial(&self, ty: TypeId) -> bool {
        !self.host
            && self.types.record_of(ty).is_some_and(|record| self.types.record(record).partial)
    }

    /// Reports the use in device code of a class whose layout only host code knows.
    pub(super) fn report_partial(&mut self, ty: TypeId, span: crate::source::Span) {
        let shown = self.show(ty);
        let what = format!("{shown} in device code, as it has members of host-only types,");
        self.unsupported(span, what);
    }

    /// The type of the innermost elements of a nested array.
    pub(super) fn element_of(&self, mut ty: TypeId) -> TypeId {
        while let TypeKind::Array(element, _) = self.types.kind(ty) {
            ty = *element;
        }
        ty
    }

    fn member_function(
        &mut self,
        id: RecordId,
        function: &Rc<FunctionSyntax>,
        template: Option<Rc<Vec<TemplateParameterSyntax>>>,
    ) {
        if function.specifiers.is_friend {
            // A friend defined in the class is a function of the enclosing namespace, but sees the class's names.
            self.declare_friend(function, template);
            return;
        }
        self.declare_member(id, function, template);
    }

    /// The mangled form of a name in the current scope: the parts of the path, without `N...E`.
    pub(super) fn nested_name(&self, name: &str) -> String {
        format!("{}{}{name}", self.path(self.scope), name.len())
    }

    /// The mangled path of a scope.
    pub(super) fn path(&self, mut scope: usize) -> String {
        let mut parts = Vec::new();
        while let Some(here) = self.scopes.get(scope) {
            if let Some(mangled) = &here.mangled {
                parts.push(mangled.clone());
            } else if let Some(record) = here.record {
                parts.push(self.types.record(record).mangled.clone());
                parts.reverse();
                return parts.concat();
            }
            match here.parent {
                Some(parent) => scope = parent,
                None => break,
            }
        }
        parts.reverse();
        parts.concat()
    }
}
