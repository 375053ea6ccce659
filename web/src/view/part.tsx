/** Parts of a viewer and their headings, for a page of their own as for an output among others in a notebook. */

import { createContext, type ComponentChildren, type HTMLAttributes } from "preact";
import { useContext } from "preact/hooks";

/** How many levels of headings are above the viewer: none where the page is its own. */
export const Above = createContext(0);

/** Something with a name of its own. In the page of somebody else it is no landmark, of which there would be many. */
export function Region({ children, ...more }: HTMLAttributes<HTMLElement>) {
  if (useContext(Above) === 0) return <section {...more}>{children}</section>;
  return (
    <div role="group" {...(more as HTMLAttributes<HTMLDivElement>)}>
      {children}
    </div>
  );
}

interface HeadingProps {
  level: 1 | 2 | 3;
  id?: string;
  tabIndex?: number;
  children: ComponentChildren;
}

/** A heading, as deep as it is where the viewer stands. */
export function Heading({ level, ...more }: HeadingProps) {
  const above = useContext(Above);
  const Tag = `h${level}` as const;
  return <Tag {...more} {...(above > 0 && { "aria-level": level + above })} />;
}

interface PartProps {
  id: string;
  title: string;
  class?: string;
  /** Whether a script may put the focus on its heading. */
  isTarget?: boolean;
  children: ComponentChildren;
}

/** A part with a heading that names it. */
export function Part({ id, title, class: look, isTarget, children }: PartProps) {
  return (
    <Region aria-labelledby={id} {...(look !== undefined && { class: look })}>
      <Heading level={2} id={id} {...(isTarget && { tabIndex: -1 })}>
        {title}
      </Heading>
      {children}
    </Region>
  );
}
