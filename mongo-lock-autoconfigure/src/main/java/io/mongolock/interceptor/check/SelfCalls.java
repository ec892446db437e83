package io.mongolock.interceptor.check;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

import io.mongolock.interceptor.LockOperation;

/**
 * Finds calls of locked methods on {@code this}, which do not pass the proxy, in the byte
 * code of a class and its superclasses; but those of who has the same lock already.
 * Certain of what it finds, and silent where more than straight code computes the
 * arguments.
 */
final class SelfCalls {

	private final Map<String, List<LockOperation>> locked = new HashMap<>();

	private final Set<String> found = new LinkedHashSet<>();

	private SelfCalls(Map<Method, List<LockOperation>> locked) {
		locked.forEach((method, operations) -> this.locked.put(signature(method), operations));
	}

	/**
	 * Look for such calls.
	 */
	static Set<String> find(Class<?> type, Map<Method, List<LockOperation>> locked) {
		SelfCalls calls = new SelfCalls(locked);
		for (Class<?> one = type; one != null && one != Object.class; one = one.getSuperclass()) {
			calls.read(one);
		}
		return calls.found;
	}

	private void read(Class<?> type) {
		try (InputStream code = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
			if (code != null) {
				new ClassReader(code).accept(new Methods(type), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
			}
		}
		catch (IOException | IllegalArgumentException ex) {
			// of a newer Java, or made at runtime: nothing is known of it
			return;
		}
	}

	private static String signature(Method method) {
		return method.getName() + Type.getMethodDescriptor(method);
	}

	/** The methods of one class. */
	private final class Methods extends ClassVisitor {

		private final Class<?> type;

		private Methods(Class<?> type) {
			super(SpringAsmInfo.ASM_VERSION);
			this.type = type;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			boolean generated = (access & Opcodes.ACC_BRIDGE) != 0;
			return ((access & Opcodes.ACC_STATIC) != 0 || generated) ? null
					: new Code(this.type, name, SelfCalls.this.locked.getOrDefault(name + descriptor, List.of()));
		}

	}

	/**
	 * The code of one method. Knows of each word on the stack whether it is {@code this};
	 * what it does not know is none.
	 */
	private final class Code extends MethodVisitor {

		private final Class<?> type;

		private final String caller;

		/** What the method itself runs under, if it does. */
		private final List<LockOperation> held;

		private final Deque<Boolean> stack = new ArrayDeque<>();

		private Code(Class<?> type, String name, List<LockOperation> held) {
			super(SpringAsmInfo.ASM_VERSION);
			this.type = type;
			this.held = held;
			// lambda$caller$0
			this.caller = (name.startsWith("lambda$")) ? name.split("\\$")[1] : name;
		}

		@Override
		public void visitVarInsn(int opcode, int variable) {
			switch (opcode) {
				case Opcodes.ALOAD -> this.stack.push(variable == 0);
				case Opcodes.ILOAD, Opcodes.FLOAD -> this.stack.push(false);
				case Opcodes.LLOAD, Opcodes.DLOAD -> push(2);
				default -> this.stack.clear();
			}
		}

		@Override
		public void visitInsn(int opcode) {
			if (opcode == Opcodes.DUP) {
				this.stack.push(Objects.requireNonNullElse(this.stack.peek(), false));
			}
			else if (opcode >= Opcodes.ACONST_NULL && opcode <= Opcodes.DCONST_1) {
				boolean wide = opcode == Opcodes.LCONST_0 || opcode == Opcodes.LCONST_1 || opcode >= Opcodes.DCONST_0;
				push((wide) ? 2 : 1);
			}
			else {
				this.stack.clear();
			}
		}

		@Override
		public void visitIntInsn(int opcode, int operand) {
			if (opcode == Opcodes.NEWARRAY) {
				this.stack.clear();
			}
			else {
				push(1);
			}
		}

		@Override
		public void visitLdcInsn(Object value) {
			push((value instanceof Long || value instanceof Double) ? 2 : 1);
		}

		@Override
		public void visitTypeInsn(int opcode, String type) {
			if (opcode == Opcodes.NEW) {
				push(1);
			}
			else if (opcode != Opcodes.CHECKCAST) {
				this.stack.clear();
			}
		}

		@Override
		public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
			int size = Type.getType(descriptor).getSize();
			if (opcode == Opcodes.GETFIELD || opcode == Opcodes.PUTFIELD) {
				pop(1);
			}
			if (opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC) {
				push(size);
			}
			else {
				pop(size);
			}
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
			pop((Type.getArgumentsAndReturnSizes(descriptor) >> 2) - 1);
			if (opcode != Opcodes.INVOKESTATIC) {
				boolean self = Boolean.TRUE.equals(this.stack.poll());
				List<LockOperation> called = SelfCalls.this.locked.getOrDefault(name + descriptor, List.of());
				if (self && opcode != Opcodes.INVOKESPECIAL && !called.stream().allMatch(this::isHeld)) {
					SelfCalls.this.found.add(this.type.getName() + "." + this.caller + "() calls " + name + "("
							+ Arrays.stream(Type.getArgumentTypes(descriptor))
								.map((one) -> ClassUtils.getShortName(one.getClassName()))
								.collect(Collectors.joining(", "))
							+ ")");
				}
			}
			push(Type.getReturnType(descriptor).getSize());
		}

		@Override
		public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
			pop((Type.getArgumentsAndReturnSizes(descriptor) >> 2) - 1);
			push(1);
		}

		@Override
		public void visitJumpInsn(int opcode, Label label) {
			this.stack.clear();
		}

		@Override
		public void visitLabel(Label label) {
			this.stack.clear();
		}

		@Override
		public void visitIincInsn(int variable, int increment) {
			// leaves the stack as it is
		}

		@Override
		public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
			this.stack.clear();
		}

		@Override
		public void visitTableSwitchInsn(int min, int max, Label dflt, Label... labels) {
			this.stack.clear();
		}

		@Override
		public void visitLookupSwitchInsn(Label dflt, int[] keys, Label[] labels) {
			this.stack.clear();
		}

		// in the same text, which may stand for another key if the arguments are others
		private boolean isHeld(LockOperation called) {
			return this.held.stream()
				.anyMatch((own) -> Objects.equals(own.name(), called.name()) && Objects.equals(own.key(), called.key())
						&& Objects.equals(own.document(), called.document())
						&& (own.condition() == null || own.condition().equals(called.condition())));
		}

		private void push(int words) {
			for (int i = 0; i < words; i++) {
				this.stack.push(false);
			}
		}

		private void pop(int words) {
			for (int i = 0; i < words; i++) {
				this.stack.poll();
			}
		}

	}

}
