package io.mongolock;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Which monitors may be taken while which are held, read from the classes: by what is
 * called in a synchronized method or block, and by all that those call, in each class
 * that implements it. A function is followed from where it is made, through parameters
 * and fields, to where it is called. The atomic steps of a map count as a monitor of the
 * class that takes them, as do the permits of a semaphore.
 * <p>
 * So there may be more here than ever happens. It does not see that one object takes the
 * monitor of another of its class, calls by reflection, calls of what libraries and users
 * implement, and functions that are kept in a collection.
 */
final class LockOrder {

	private static final String PRODUCT = "io/mongolock/";

	private static final Set<String> STEPS = Set.of("compute", "computeIfPresent", "computeIfAbsent", "merge");

	private final Map<String, Method> methods = new HashMap<>();

	/** Those that a class has above it, and itself. */
	private final Map<String, Set<String>> above = new HashMap<>();

	private final Map<String, Set<String>> below = new HashMap<>();

	/** By their interfaces. */
	private final Map<String, List<Function>> functions = new HashMap<>();

	private final Map<Function, Set<String>> ways = new HashMap<>();

	/** By from where and of which type: to where. */
	private final Map<String, Set<String>> passed = new HashMap<>();

	/** What calls and fields pass on, until all classes are known. */
	private final List<Runnable> passing = new ArrayList<>();

	private final Set<String> interfaces = new HashSet<>();

	/**
	 * Read classes.
	 * @param files the class files
	 */
	LockOrder(Collection<Path> files) throws IOException {
		for (Path file : files) {
			new ClassReader(Files.readAllBytes(file)).accept(new Types(), ClassReader.SKIP_FRAMES);
		}
		this.above.keySet()
			.forEach((type) -> all(type, new HashSet<>())
				.forEach((one) -> this.below.computeIfAbsent(one, (same) -> new TreeSet<>()).add(type)));
		this.passing.forEach(Runnable::run);
	}

	private Set<String> all(String type, Set<String> all) {
		if (all.add(type)) {
			this.above.getOrDefault(type, Set.of()).forEach((one) -> all(one, all));
		}
		return all;
	}

	/**
	 * Which monitors may be taken while one is held.
	 * @return those, with an example of how, by the one that is held
	 */
	Map<String, Map<String, String>> order() {
		Map<String, Map<String, String>> order = new TreeMap<>();
		for (Method method : this.methods.values()) {
			for (Call call : method.calls) {
				for (String held : call.held) {
					taken(call).forEach((taken, how) -> {
						if (!taken.equals(held)) {
							order.computeIfAbsent(held, (same) -> new TreeMap<>())
								.merge(taken, method + " > " + how,
										(one, other) -> (one.compareTo(other) < 0) ? one : other);
						}
					});
				}
			}
		}
		return order;
	}

	/**
	 * All monitors, each before those that may be taken while it is held.
	 * @throws IllegalStateException if there is no such order
	 */
	List<String> sorted() {
		Map<String, Map<String, String>> order = order();
		Set<String> left = new TreeSet<>();
		this.methods.values().forEach((method) -> left.addAll(method.takes));
		List<String> sorted = new ArrayList<>();
		while (!left.isEmpty()) {
			String next = left.stream()
				.filter((one) -> left.stream().noneMatch((held) -> order.getOrDefault(held, Map.of()).containsKey(one)))
				.findFirst()
				.orElseThrow(() -> new IllegalStateException("A circle: " + circle(order, left)));
			sorted.add(next);
			left.remove(next);
		}
		return sorted;
	}

	// Those that hold others, and are held
	private static String circle(Map<String, Map<String, String>> order, Set<String> left) {
		StringBuilder circle = new StringBuilder();
		order.forEach((held, taken) -> taken.forEach((monitor, how) -> {
			if (left.contains(held) && left.contains(monitor) && order.containsKey(monitor)) {
				circle.append("\n").append(held).append(" takes ").append(monitor).append(": ").append(how);
			}
		}));
		return circle.toString();
	}

	// What a call may take, with how
	private Map<String, String> taken(Call call) {
		Map<String, String> taken = new TreeMap<>();
		Map<Method, String> seen = new LinkedHashMap<>();
		Deque<Method> open = new ArrayDeque<>();
		targets(call).forEach((target) -> {
			seen.put(target, target.toString());
			open.add(target);
		});
		call.takes.forEach((monitor) -> taken.put(monitor, "itself"));
		while (!open.isEmpty()) {
			Method method = open.remove();
			String how = seen.get(method);
			method.takes.forEach((monitor) -> taken.putIfAbsent(monitor, how));
			for (Call next : method.calls) {
				for (Method target : targets(next)) {
					if (seen.putIfAbsent(target, how + " > " + target) == null) {
						open.add(target);
					}
				}
			}
		}
		return taken;
	}

	private List<Method> targets(Call call) {
		List<Method> targets = new ArrayList<>((call.owner.startsWith(PRODUCT)) ? implementations(call) : List.of());
		for (Function function : this.functions.getOrDefault(call.owner, List.of())) {
			if (this.ways.computeIfAbsent(function, this::ways).contains(call.source(call.owner))) {
				targets.addAll(implementations(function.call));
			}
		}
		return targets;
	}

	// From where a function may be taken: parameters of methods to which it is passed,
	// and
	// fields in which it is kept
	private Set<String> ways(Function function) {
		Set<String> ways = new HashSet<>();
		Deque<String> open = new ArrayDeque<>(List.of(function.source));
		while (!open.isEmpty()) {
			String way = open.remove();
			if (ways.add(way)) {
				open.addAll(this.passed.getOrDefault(way + " " + function.type, Set.of()));
			}
		}
		return ways;
	}

	private List<Method> implementations(Call call) {
		List<Method> found = new ArrayList<>();
		Set<String> types = (call.exact) ? Set.of(call.owner) : this.below.getOrDefault(call.owner, Set.of());
		for (String type : types) {
			for (String one = type; one != null; one = superclass(one)) {
				Method method = this.methods.get(one + "." + call.name);
				if (method != null) {
					found.add(method);
					break;
				}
			}
		}
		return found;
	}

	private @Nullable String superclass(String type) {
		return this.above.getOrDefault(type, Set.of())
			.stream()
			.filter((one) -> this.above.containsKey(one) && !this.interfaces.contains(one))
			.findFirst()
			.orElse(null);
	}

	private static String outer(String type) {
		return type.replaceFirst("\\$.*", "");
	}

	private static String shortName(String type) {
		return type.substring(type.lastIndexOf('/') + 1).replace('$', '.');
	}

	/** A method with what it calls. */
	private static final class Method {

		private final String owner;

		private final String name;

		private final Set<String> takes = new TreeSet<>();

		private final List<Call> calls = new ArrayList<>();

		private Method(String owner, String name) {
			this.owner = owner;
			this.name = name;
		}

		private String id() {
			return this.owner + "." + this.name;
		}

		@Override
		public String toString() {
			return shortName(this.owner) + "." + this.name.replaceFirst("\\(.*", "");
		}

	}

	/**
	 * A call.
	 *
	 * @param held the monitors that are held then
	 * @param takes those that it takes itself
	 * @param sources where the last value of a type came from
	 */
	private record Call(String owner, String name, boolean exact, Set<String> held, Set<String> takes,
			Map<String, String> sources) {

		private boolean passes(String type) {
			return this.name.contains("L" + type + ";");
		}

		private String source(String type) {
			return this.sources.getOrDefault(type, "?");
		}

	}

	/**
	 * A function that is made.
	 *
	 * @param type its interface
	 * @param source where it is made
	 * @param call what it calls
	 */
	private record Function(String type, String source, Call call) {

	}

	/** Reads a class. */
	private final class Types extends ClassVisitor {

		private String owner = "";

		private Types() {
			super(SpringAsmInfo.ASM_VERSION);
		}

		@Override
		public void visit(int version, int access, String name, String signature, String superName,
				String[] interfaces) {
			this.owner = name;
			Set<String> above = new HashSet<>(List.of(interfaces));
			above.add(superName);
			LockOrder.this.above.put(name, above);
			if (Modifier.isInterface(access)) {
				LockOrder.this.interfaces.add(name);
			}
		}

		@Override
		public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
				String[] exceptions) {
			Method method = new Method(this.owner, name + descriptor);
			LockOrder.this.methods.put(this.owner + "." + name + descriptor, method);
			Set<String> held = new TreeSet<>();
			if (Modifier.isSynchronized(access)) {
				held.add(shortName(this.owner));
				method.takes.add(shortName(this.owner));
			}
			return new Code(method, Modifier.isStatic(access), held);
		}

	}

	/** Reads a method. A block ends with the last exit of what its entry has stored. */
	private final class Code extends MethodVisitor {

		private final Method method;

		private final Set<String> always;

		/** The monitors of blocks, by the variable that has them. */
		private final Map<Integer, String> blocks = new TreeMap<>();

		/**
		 * The calls since the last exit of a block: within it only if another exit comes.
		 */
		private final Map<Integer, List<Call>> since = new HashMap<>();

		/** The functions that are made and not yet passed. */
		private final List<Function> made = new ArrayList<>();

		/** The types of parameters, by their variables. */
		private final Map<Integer, String> variables = new HashMap<>();

		/** Where the last value of a type came from. */
		private final Map<String, String> sources = new HashMap<>();

		private String loaded = "";

		private int stored;

		private int lastLoad;

		/** How many were made. */
		private int functions;

		private Code(Method method, boolean isStatic, Set<String> always) {
			super(SpringAsmInfo.ASM_VERSION);
			this.method = method;
			this.always = always;
			int variable = (isStatic) ? 0 : 1;
			for (Type type : Type.getArgumentTypes(method.name.substring(method.name.indexOf('(')))) {
				this.variables.put(variable, type.getInternalName());
				variable += type.getSize();
			}
		}

		// A value goes from where it came last
		private void pass(String type, Set<String> to) {
			String from = this.sources.get(type);
			if (from != null) {
				LockOrder.this.passed.computeIfAbsent(from + " " + type, (same) -> new HashSet<>()).addAll(to);
			}
		}

		private void pass(String type, Call call) {
			String from = this.sources.get(type);
			if (from != null) {
				LockOrder.this.passing
					.add(() -> LockOrder.this.passed.computeIfAbsent(from + " " + type, (same) -> new HashSet<>())
						.addAll(LockOrder.this.implementations(call).stream().map(Method::id).toList()));
			}
		}

		@Override
		public void visitVarInsn(int opcode, int index) {
			if (opcode == Opcodes.ALOAD && this.variables.containsKey(index)) {
				this.sources.put(this.variables.get(index), this.method.id());
			}
			if (opcode == Opcodes.ALOAD) {
				this.loaded = (index == 0) ? this.method.owner : "";
				this.lastLoad = index;
			}
			else if (opcode == Opcodes.ASTORE) {
				this.stored = index;
			}
		}

		@Override
		public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
			this.loaded = Type.getType(descriptor).getInternalName();
			String field = owner + "." + name;
			if (opcode == Opcodes.PUTFIELD || opcode == Opcodes.PUTSTATIC) {
				pass(this.loaded, Set.of(field));
			}
			else {
				this.sources.put(this.loaded, field);
			}
		}

		@Override
		public void visitInsn(int opcode) {
			if (opcode == Opcodes.MONITORENTER) {
				if (this.loaded.isEmpty()) {
					throw new IllegalStateException("What does " + this.method + " synchronize on?");
				}
				takes(shortName(this.loaded));
				this.blocks.put(this.stored, shortName(this.loaded));
				this.since.remove(this.stored);
			}
			else if (opcode == Opcodes.MONITOREXIT) {
				String monitor = this.blocks.get(this.lastLoad);
				if (monitor == null) {
					throw new IllegalStateException("Which block of " + this.method + " ends?");
				}
				List<Call> within = this.since.getOrDefault(this.lastLoad, List.of());
				within.forEach((call) -> call.held.add(monitor));
				this.since.put(this.lastLoad, new ArrayList<>());
			}
		}

		// Of blocks, those that have not ended
		private Set<String> held() {
			Set<String> held = new TreeSet<>(this.always);
			this.blocks.forEach((variable, monitor) -> {
				if (!this.since.containsKey(variable)) {
					held.add(monitor);
				}
			});
			return held;
		}

		private void add(Call call) {
			this.method.calls.add(call);
			this.since.values().forEach((calls) -> calls.add(call));
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
			boolean exact = opcode == Opcodes.INVOKESPECIAL || opcode == Opcodes.INVOKESTATIC;
			Call call = new Call(owner, name + descriptor, exact, held(), Set.of(), Map.copyOf(this.sources));
			add(call);
			for (Type type : Type.getArgumentTypes(descriptor)) {
				pass(type.getInternalName(), call);
			}
			this.loaded = "";
			this.sources.remove(Type.getReturnType(descriptor).getInternalName());
			if (!owner.startsWith(PRODUCT)) {
				String step = (STEPS.contains(name) && owner.endsWith("Map")) ? shortName(this.method.owner) + " map"
						: "";
				this.made.stream()
					.filter((function) -> call.passes(function.type) || owner.equals(function.type))
					.forEach((function) -> runs(function.call, step));
				takes(step);
				takes((owner.equals("java/util/concurrent/Semaphore")
						&& name.toLowerCase(Locale.ROOT).contains("acquire"))
								? shortName(this.method.owner) + " permits" : "");
			}
			this.made.removeIf((function) -> call.passes(function.type));
		}

		private void takes(String monitor) {
			if (!monitor.isEmpty()) {
				this.method.takes.add(monitor);
				add(new Call("", "", true, held(), Set.of(monitor), Map.of()));
			}
		}

		// A library may run at once what it is passed
		private void runs(Call function, String step) {
			Set<String> held = held();
			if (!step.isEmpty()) {
				held.add(step);
			}
			add(new Call(function.owner, function.name, function.exact, held, Set.of(), function.sources));
		}

		@Override
		public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
			if (arguments.length < 2 || !(arguments[1] instanceof Handle handle)) {
				return;
			}
			String type = Type.getReturnType(descriptor).getInternalName();
			boolean exact = handle.getTag() != Opcodes.H_INVOKEVIRTUAL && handle.getTag() != Opcodes.H_INVOKEINTERFACE;
			Call call = new Call(handle.getOwner(), handle.getName() + handle.getDesc(), exact, Set.of(), Set.of(),
					Map.copyOf(this.sources));
			for (Type kept : Type.getArgumentTypes(descriptor)) {
				pass(kept.getInternalName(), call);
			}
			String source = this.method.id() + " " + this.functions++;
			Function function = new Function(type, source, call);
			this.sources.put(type, source);
			this.made.add(function);
			LockOrder.this.functions.computeIfAbsent(type, (same) -> new ArrayList<>()).add(function);
		}

	}

}
