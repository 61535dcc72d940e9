import { useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/dialog.tsx';
import { useService } from '../../../parts/service.ts';
import { toast } from '../../../parts/toasts.tsx';
import { Section, View } from '../../../parts/view.tsx';
import { useGoInstead } from '../../../place.ts';
import { texts } from '../../../texts.ts';
import { type CollectionPart, CollectionTabs, parentsOf } from '../collection-tabs.tsx';
import { ApiExamples } from './api-examples.tsx';
import { CollectionIndexes } from './collection-indexes.tsx';
import { RulesEditor } from './rules-editor.tsx';
import { SchemaEditor } from './schema-editor.tsx';

const TEXTS = texts.collections;

interface PartProps {
  readonly collection: string;
}

const VIEWS: Readonly<Record<CollectionPart, (props: PartProps) => ReactNode>> = {
  schema: SchemaEditor,
  rules: RulesEditor,
  indexes: CollectionIndexes,
  api: ApiExamples,
  danger: DangerZone,
};

interface ConfigurationProps extends PartProps {
  readonly part: CollectionPart;
}

/** A part of a collection besides its documents. */
export function Configuration({ collection, part }: ConfigurationProps): ReactNode {
  const Shown = VIEWS[part];
  return (
    <View title={collection} parents={parentsOf()} tabs={<CollectionTabs collection={collection} current={part} />}>
      <Shown key={part} collection={collection} />
    </View>
  );
}

/** Actions that cannot be undone. */
function DangerZone({ collection }: PartProps): ReactNode {
  const { client } = useService();
  const store = useQueryClient();
  const goInstead = useGoInstead();
  const [isDeleting, setDeleting] = useState(false);
  return (
    <Section title={TEXTS.delete} about={TEXTS.deleteHint}>
      <div>
        <Button kind="danger" icon={Trash2} onClick={() => setDeleting(true)}>
          {TEXTS.delete}
        </Button>
      </div>
      {isDeleting && (
        <Confirm
          title={TEXTS.delete}
          about={TEXTS.deleteAbout(collection)}
          typed={collection}
          act={() => client.admin.collections.remove(collection)}
          onDone={() => {
            toast(TEXTS.deleted(collection));
            goInstead(['collections']);
            void store.invalidateQueries({ queryKey: ['collections'] });
          }}
          onClose={() => setDeleting(false)}
        />
      )}
    </Section>
  );
}
